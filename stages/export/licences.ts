/**
 * Licences under which text may be published again beside other text, as long as its source is named: what the card does for every source.
 * By SPDX id, in lower case. Copyleft for documents (CC-BY-SA) binds the whole, NC and ND bind the reader: both want a look.
 */
const free: ReadonlySet<string> = new Set([
  "0bsd",
  "apache-2.0",
  "bsd-2-clause",
  "bsd-3-clause",
  "bsl-1.0",
  "cc-by-3.0",
  "cc-by-4.0",
  "cc0-1.0",
  "cdla-permissive-1.0",
  "cdla-permissive-2.0",
  "isc",
  "mit",
  "mit-0",
  "ncsa",
  "odc-by",
  "odc-by-1.0",
  "pddl",
  "postgresql",
  "psf-2.0",
  "python-2.0",
  "unlicense",
  "wtfpl",
  "zlib",
]);

const plain = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/^\(+|\)+$/g, "");

/** Why text under a licence may not go unlooked at; null: it may. `A OR B` is as free as the freer, `A AND B` as the less free. */
export function licenceTrouble(licence: string | null): string | null {
  if (licence === null || /^(?:unknown|other|none|noassertion)?$/i.test(licence.trim())) return "its licence is not known";
  const every = licence.split(/\s+and\s+/i);
  const bound = every.filter((part) => !part.split(/\s+or\s+/i).some((name) => free.has(plain(name))));
  const [first] = bound;
  if (first === undefined) return null;
  const name = first.trim();
  if (/-nc\b/i.test(name)) return `${name} forbids commercial use, which every reader of the whole would have to keep to`;
  if (/-nd\b/i.test(name)) return `${name} forbids changed copies, and these are`;
  if (/^\(?(?:cc-by-sa|[al]?gpl|mpl|epl|eupl|odbl)/i.test(name)) return `${name} asks that the whole be under its own terms`;
  return `${name} is not among the licences known to allow it`;
}
