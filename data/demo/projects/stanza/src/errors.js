/** The text is not in the format. `line` counts from 1. */
export class ParseError extends Error {
  constructor(message, line = null) {
    super(line === null ? message : `line ${line}: ${message}`);
    this.name = "ParseError";
    this.line = line;
  }
}

/** `${...}` names nothing, or itself. */
export class ReferenceError extends Error {
  constructor(message, chain) {
    super(`${message}: ${chain.join(" -> ")}`);
    this.name = "ReferenceError";
    this.chain = chain;
  }
}

/** A file cannot be read, or includes itself. */
export class LoadError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = "LoadError";
  }
}
