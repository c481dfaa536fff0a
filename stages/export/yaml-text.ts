/** What a configuration file may hold. */
export type YamlValue = string | number | boolean | readonly YamlValue[] | { readonly [key: string]: YamlValue };

/** Readable without quotes in YAML 1.1 and 1.2 alike; what a reader could take for something else is quoted. */
const plain = /^[A-Za-z_./][\w./ -]*[\w./-]$|^[A-Za-z_]$/;
const taken = /^(?:true|false|yes|no|on|off|y|n|null)$|^\.|[:#]\s| $/i;

const quoted = (text: string): string =>
  plain.test(text) && (text.startsWith("./") || !taken.test(text))
    ? text
    : JSON.stringify(text).replace(/[\u2028\u2029\u0085\u007f]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** PyYAML takes `1e-8` for a string: it wants a dot and a signed exponent. */
function number(value: number): string {
  const [mantissa = "", exponent] = String(value).split("e");
  if (exponent === undefined) return mantissa;
  return `${mantissa.includes(".") ? mantissa : `${mantissa}.0`}e${/^[+-]/.test(exponent) ? exponent : `+${exponent}`}`;
}

const scalar = (value: string | number | boolean): string => {
  if (typeof value === "string") return quoted(value);
  return typeof value === "number" ? number(value) : String(value);
};

function lines(value: YamlValue, indent: string): string[] {
  if (Array.isArray(value)) {
    return (value as readonly YamlValue[]).flatMap((item) => {
      const [first = "", ...rest] = lines(item, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  if (typeof value !== "object") return [indent + scalar(value)];
  return Object.entries(value).flatMap(([key, item]) => {
    if (typeof item !== "object") return [`${indent}${quoted(key)}: ${scalar(item)}`];
    const empty = Array.isArray(item) ? item.length === 0 : Object.keys(item).length === 0;
    return empty
      ? [`${indent}${quoted(key)}: ${Array.isArray(item) ? "[]" : "{}"}`]
      : [`${indent}${quoted(key)}:`, ...lines(item, `${indent}  `)];
  });
}

/** YAML in block style with keys in the order given, under a comment; read alike by PyYAML (1.1) and by 1.2 parsers. */
export const yamlText = (value: { readonly [key: string]: YamlValue }, comment: readonly string[] = []): string =>
  [...comment.map((line) => (line === "" ? "#" : `# ${line}`)), ...lines(value, ""), ""].join("\n");
