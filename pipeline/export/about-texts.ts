import { about, licencesOf } from "../../stages/export/card.ts";
import { bibTexOf, type MadeWith, promptTexts } from "../../stages/export/card-sections.ts";
import { croissantText } from "../../stages/export/croissant.ts";
import type { DatasetPart } from "../../stages/export/dataset-parts.ts";
import type { Provenance } from "../../stages/export/provenance.ts";
import type { ExportRequest } from "./request.ts";

/** What made the dataset, with digests of what models were told; null where the caller does not tell. */
export function madeWith({ made, params, ports }: ExportRequest): MadeWith | null {
  if (made === undefined) return null;
  const prompts = Object.entries(promptTexts(params.persona.name)).map(([name, text]) => [name, ports.digest(text)] as const);
  return { ...made, prompts: Object.fromEntries(prompts) };
}

/** The dataset's metadata in the form that search engines and loaders read. */
export const croissantFile = (
  { params }: ExportRequest,
  provenance: Provenance,
  parts: readonly DatasetPart[],
  files: readonly { readonly path: string; readonly sha256: string; readonly bytes: number }[],
): { path: string; text: string } => ({
  path: "croissant.json",
  text: croissantText({
    name: params.export.name,
    description: about,
    licences: licencesOf(provenance),
    about: params.export.about,
    citation: bibTexOf(params.export),
    parts,
    files,
  }),
});
