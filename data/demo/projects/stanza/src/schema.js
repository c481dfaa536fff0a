const TYPES = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  list: (value) => Array.isArray(value),
};

/** Names every rule that the tree breaks: `["server.port: 70000 is more than 65535"]`. */
export function checkSchema(tree, schema) {
  const problems = [];
  for (const [path, rule] of Object.entries(schema)) {
    const value = at(tree, path);
    if (value === undefined) {
      if (rule.required === true) problems.push(`${path}: missing`);
      continue;
    }
    problems.push(...checkValue(value, rule).map((problem) => `${path}: ${problem}`));
  }
  return problems;
}

function checkValue(value, rule) {
  const problems = [];
  const isType = TYPES[rule.type];
  if (isType === undefined) throw new TypeError(`the schema names an unknown type "${rule.type}"`);
  if (!isType(value)) return [`expected ${rule.type}, got ${JSON.stringify(value)}`];
  if (rule.min !== undefined && value < rule.min) problems.push(`${value} is less than ${rule.min}`);
  if (rule.max !== undefined && value > rule.max) problems.push(`${value} is more than ${rule.max}`);
  if (rule.oneOf !== undefined && !rule.oneOf.includes(value)) {
    problems.push(`${JSON.stringify(value)} is not one of ${rule.oneOf.join(", ")}`);
  }
  return problems;
}

function at(tree, path) {
  let value = tree;
  for (const key of path.split(".")) {
    if (value === null || typeof value !== "object") return undefined;
    value = value[key];
  }
  return value;
}
