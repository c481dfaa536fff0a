import { Fault, faultCodes } from "../../schemas/fault.ts";
import { PersonalKind } from "../../schemas/recipe/generate.ts";
import { Scan } from "../../schemas/scan.ts";
import { ownSecrets } from "../secrets/own.ts";
import { scanFiles } from "../secrets/scan-files.ts";
import { type CommonOptions, print, progressFor, table } from "./shared.ts";

export interface ScanCommandOptions extends Pick<CommonOptions, "json" | "quiet"> {
  readonly paths: readonly string[];
  readonly personal: readonly string[];
  readonly allow: readonly string[];
}

const shown = 20;

function personalKinds(names: readonly string[]): PersonalKind[] {
  if (names.includes("all")) return [...PersonalKind.options];
  return names.map((name) => {
    const parsed = PersonalKind.safeParse(name);
    if (parsed.success) return parsed.data;
    throw new Fault("USAGE", "stop", `expected --personal all, or some of ${PersonalKind.options.join(", ")}; got ${JSON.stringify(name)}`);
  });
}

function scanText({ files, bytes, byType, found, more, skipped }: Scan): string {
  const rows = found.slice(0, shown).map(({ file, place, type, excerpt }) => [`${file}, ${place}`, type, excerpt]);
  const unseen = skipped.slice(0, shown).map(({ file, why }) => `not looked into: ${file} (${why})`);
  const left = found.length + more - rows.length;
  const types = Object.entries(byType).map(([type, count]) => `${count} ${type}`);
  const all = `${files} files, ${(bytes / 1e6).toFixed(1)} MB`;
  return [
    ...(rows.length === 0 ? [] : [table(["where", "type", "begins"], rows), ...(left > 0 ? [`... and ${left} more places`] : []), ""]),
    ...unseen,
    ...(skipped.length > unseen.length ? [`... and ${skipped.length - unseen.length} more not looked into`] : []),
    types.length === 0 ? `nothing that looks secret in ${all}` : `${types.join(", ")} in ${all}`,
  ].join("\n");
}

/** `catgen scan PATH...`: looks through anything that is to be published; 65 when something is found. */
export async function scanCommand(options: ScanCommandOptions): Promise<number> {
  const personal = personalKinds(options.personal);
  const progress = progressFor(options);
  progress.start("scan", 0);
  const own = ownSecrets(process.env["CATGEN_API_KEY"] ?? null);
  const scan = Scan.parse(
    await scanFiles(options.paths, { secrets: true, personal, own, allowed: options.allow }, (path) => progress.step(path)),
  );
  progress.end();
  print(options, scan, () => scanText(scan));
  return Object.keys(scan.byType).length === 0 ? 0 : faultCodes.SECRETS_FOUND.exit;
}
