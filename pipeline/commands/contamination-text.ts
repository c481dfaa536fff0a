import type { Contamination, Overlap } from "../../schemas/contamination.ts";
import { safe } from "./safe-text.ts";

/** What of it belongs to evaluation sets; nothing where nothing does. */
export function contaminationLines({ instance, repository, text, patch }: Contamination): string[] {
  const shares = (what: string, found: readonly Overlap[]): string[] =>
    found.map(({ list, instance: of, share }) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} % of the ${what} of ${of} (${list})`);
  const said = [
    ...(instance.length === 0 ? [] : [`its instance is in ${instance.join(", ")}`]),
    ...(repository.length === 0 ? [] : [`its repository is in ${repository.join(", ")}`]),
    ...shares("text", text),
    ...shares("patch", patch),
  ];
  return said.length === 0 ? [] : [`evaluation sets: ${safe(said.join("; "))}`];
}
