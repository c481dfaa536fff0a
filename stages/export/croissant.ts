import type { ColumnSchema, ColumnType } from "../../schemas/columns.ts";
import type { AboutRecipe } from "../../schemas/recipe/about.ts";
import type { DatasetPart } from "./dataset-parts.ts";
import { layouts } from "./layouts/index.ts";

/** Everything the metadata says; nothing in it depends on time or place but what the recipe's `about` says. */
export interface CroissantFacts {
  readonly name: string;
  readonly description: string;
  readonly licences: readonly string[];
  readonly about: AboutRecipe;
  /** As BibTeX. */
  readonly citation: string;
  readonly parts: readonly DatasetPart[];
  /** Parquet files of the export, paths from its top. */
  readonly files: readonly { readonly path: string; readonly sha256: string; readonly bytes: number }[];
}

type Json = Readonly<Record<string, unknown>>;

/** The context that the format prescribes, word for word. Source: mlcommons.org/croissant/1.0, "Croissant context". */
const context: Json = {
  "@language": "en",
  "@vocab": "https://schema.org/",
  citeAs: "cr:citeAs",
  column: "cr:column",
  conformsTo: "dct:conformsTo",
  cr: "http://mlcommons.org/croissant/",
  data: { "@id": "cr:data", "@type": "@json" },
  dataType: { "@id": "cr:dataType", "@type": "@vocab" },
  dct: "http://purl.org/dc/terms/",
  extract: "cr:extract",
  field: "cr:field",
  fileObject: "cr:fileObject",
  fileProperty: "cr:fileProperty",
  fileSet: "cr:fileSet",
  format: "cr:format",
  includes: "cr:includes",
  isLiveDataset: "cr:isLiveDataset",
  jsonPath: "cr:jsonPath",
  key: "cr:key",
  md5: "cr:md5",
  parentField: "cr:parentField",
  path: "cr:path",
  recordSet: "cr:recordSet",
  references: "cr:references",
  regex: "cr:regex",
  repeated: "cr:repeated",
  replace: "cr:replace",
  sc: "https://schema.org/",
  separator: "cr:separator",
  source: "cr:source",
  subField: "cr:subField",
  transform: "cr:transform",
  equivalentProperty: "cr:equivalentProperty",
  rai: "http://mlcommons.org/croissant/RAI/",
  samplingRate: "cr:samplingRate",
  examples: { "@id": "cr:examples", "@type": "@json" },
};

const scalarTypes: Readonly<Record<string, string>> = {
  utf8: "sc:Text",
  int8: "sc:Integer",
  int32: "sc:Integer",
  float64: "sc:Float",
  bool: "sc:Boolean",
};

/** A column as a field; lists are `repeated`, members of records have fields of their own. */
function fieldOf(id: string, file: string, column: string, type: ColumnType, inside: string | null = null): Json {
  const element = type.type === "list" ? type.element : type;
  const source = {
    fileObject: { "@id": file },
    extract: { column },
    ...(inside === null ? {} : { transform: { jsonPath: inside } }),
  };
  const repeated = type.type === "list" ? { repeated: true } : {};
  const head = { "@type": "cr:Field", "@id": id, name: id };
  if (element.type !== "struct" && element.type !== "list")
    return { ...head, dataType: scalarTypes[element.type] ?? "sc:Text", ...repeated, source };
  const members: ColumnSchema = element.type === "struct" ? element.fields : {};
  const subField = Object.entries(members)
    .filter(([, member]) => member.type !== "struct" && member.type !== "list") // mlcroissant 1.1 cannot read lists within records of lists
    .map(([name, member]) => fieldOf(`${id}/${name}`, file, column, member, name));
  return subField.length === 0 ? { ...head, dataType: "sc:Text", ...repeated, source } : { ...head, ...repeated, subField };
}

type File = CroissantFacts["files"][number];

const ownFiles = ({ layout, kind }: DatasetPart, files: CroissantFacts["files"]): File[] =>
  files.filter(({ path }) => path.startsWith(`${layout}/${kind}/`) && path.endsWith(".parquet"));

/** One per file: a set of files that lie in no archive is allowed by the format, and mlcroissant 1.1 cannot read one. */
function recordSetOf({ layout, kind }: DatasetPart, { path }: File): Json {
  const id = path.replace(/\.parquet$/, "");
  return {
    "@type": "cr:RecordSet",
    "@id": id,
    name: id,
    description: `Samples of the kind ${kind}, written as ${layout}.`,
    field: Object.entries(layouts[layout].columns).map(([column, type]) => fieldOf(`${id}/${column}`, path, column, type)),
  };
}

const fileObject = ({ path, sha256, bytes }: File): Json => ({
  "@type": "cr:FileObject",
  "@id": path,
  name: path,
  contentUrl: path,
  contentSize: `${bytes} B`,
  encodingFormat: "application/x-parquet",
  sha256,
});

/** Croissant 1.0 metadata (`croissant.json`), by which search engines and loaders read a dataset without its code. */
export function croissantText(facts: CroissantFacts): string {
  const { name, description, licences, about, citation, parts, files } = facts;
  const metadata: Json = {
    "@context": context,
    "@type": "sc:Dataset",
    conformsTo: "http://mlcommons.org/croissant/1.0",
    name,
    description,
    license: licences.length === 1 ? licences[0] : licences,
    citeAs: citation,
    ...(about.url === null ? {} : { url: about.url }),
    ...(about.creators.length === 0 ? {} : { creator: about.creators.map((creator) => ({ "@type": "sc:Person", name: creator })) }),
    ...(about.published === null ? {} : { datePublished: about.published }),
    distribution: parts.flatMap((part) => ownFiles(part, files).map(fileObject)),
    recordSet: parts.flatMap((part) => ownFiles(part, files).map((file) => recordSetOf(part, file))),
  };
  return `${JSON.stringify(metadata, null, 2)}\n`;
}
