/** Canonical JSON: keys sorted by code unit, no spaces. Equal values, equal text. Only JSON values: anything else throws instead of vanishing. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`canonical JSON has no ${value}`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    let text = "[";
    for (let at = 0; at < value.length; at += 1) text += at === 0 ? canonicalJson(value[at]) : `,${canonicalJson(value[at])}`;
    return `${text}]`;
  }
  if (typeof value !== "object") throw new TypeError(`canonical JSON has no ${typeof value}`);
  const object = value as Record<string, unknown>;
  let text = "";
  for (const key of Object.keys(object).sort()) text += `${text === "" ? "{" : ","}${quoted(key)}:${canonicalJson(object[key])}`;
  return text === "" ? "{}" : `${text}}`;
}

/** Names of fields need no escapes; asking is faster than escaping. */
const plain = /^[\w-]*$/;
const quoted = (key: string): string => (plain.test(key) ? `"${key}"` : JSON.stringify(key));
