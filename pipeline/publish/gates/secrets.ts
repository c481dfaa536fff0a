import { join } from "node:path";
import { scanFiles } from "../../secrets/scan-files.ts";
import type { Gate } from "./gate.ts";

/** No file that goes holds anything that looks secret, Parquet read value by value. */
export const secrets: Gate = async ({ folder, files, own, allowedSecrets, onFile }) => {
  const seen = new Map<string, { count: number; first: string }>();
  let scanned = 0;
  for (const { path } of files) {
    onFile(path);
    const scan = await scanFiles([join(folder, path)], { secrets: true, personal: [], own, allowed: allowedSecrets });
    scanned += scan.files;
    for (const [type, count] of Object.entries(scan.byType)) {
      const place = scan.found.find((hit) => hit.type === type);
      seen.set(`${path}: ${type}`, { count, first: place === undefined ? "" : `, first at ${place.place}: ${place.excerpt}` });
    }
    for (const { why } of scan.skipped) seen.set(`${path}: not looked into`, { count: 1, first: `, ${why}` });
  }
  return {
    looked: `${scanned} files, Parquet by its values`,
    findings: [...seen].map(([subject, { count, first }]) => ({ subject, what: `${count} place${count === 1 ? "" : "s"}${first}` })),
    mend: "take them out at the source and run again (`catgen scan` shows every place); a false alarm of one type: export.allowSecretTypes",
  };
};
