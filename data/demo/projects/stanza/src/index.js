export { Document, parse } from "./document.js";
export { LoadError, ParseError, ReferenceError } from "./errors.js";
export { load } from "./load.js";
export { checkSchema } from "./schema.js";
export { formatValue, parseValue } from "./values.js";
