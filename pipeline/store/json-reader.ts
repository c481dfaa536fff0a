import type { z } from "zod";

/**
 * Reads JSON whose shape is known: code is made from the schema that looks only where that shape says something stands, so that the bytes of
 * names are compared, and nothing else of them is done. It takes what `JSON.stringify` writes of a value that has come out of the schema, and
 * gives what `JSON.parse` would; of all else, be it valid JSON or not, it says that it cannot tell. For rows of numbers this takes a quarter
 * of the time of `JSON.parse` (test/bench/README.md, Judging).
 */
export interface JsonReader<T> {
  /** The value that starts at `at`; undefined: the text is not as expected there, ask `JSON.parse`. */
  read(at: number): T | undefined;
  /** Where the last value that was read has ended. */
  readonly end: number;
}

/** Thrown where the text is not of the shape; one object, since nobody looks at it. */
const otherShape = new Error("not of the expected shape");

const colon = 0x3a;
const [quote, comma, dot, zero, nine] = [0x22, 0x2c, 0x2e, 0x30, 0x39];
const numberText = "0123456789+-.eE";
const numberBytes = Buffer.from(numberText);
const [opens, backslash, closes, brace, unbrace] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d];
/** Digits of an integer that a double holds exactly whatever they are: 2^53 has 16. */
const exactDigits = 15;
/** Powers of ten up to `exactDigits`, all exact in a double. A quotient of two exact numbers is the nearest double (IEEE 754), so the one that JSON.parse gives. */
const powers = Array.from({ length: exactDigits + 1 }, (_, power) => 10 ** power);

/** Names of a record that were last seen at each place: their bytes with the quote behind, and their text. */
class Names {
  readonly bytes: (Uint8Array | undefined)[] = [];
  readonly texts: string[] = [];
}

function sameBytes(known: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < known.length; index += 1) if (known[index] !== bytes[start + index]) return false;
  return true;
}

/** Where the reading is, and how plain values are read; made code calls it for everything that has no name to compare. */
class Cursor {
  at = 0;
  readonly bytes: Buffer;
  readonly view: DataView;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  byte(expected: number): void {
    if (this.bytes[this.at] !== expected) throw otherShape;
    this.at += 1;
  }

  number(): number {
    const { bytes } = this;
    let at = this.at;
    let value = 0;
    let digit = (bytes[at] as number) - zero;
    while (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      at += 1;
      digit = (bytes[at] as number) - zero;
    }
    const after = bytes[at] as number;
    const whole = after === comma || after === unbrace || after === closes;
    const digits = at - this.at;
    if (!whole || digits > exactDigits || (digits !== 1 && (digits === 0 || bytes[this.at] === zero))) return this.fraction();
    this.at = at;
    return value;
  }

  /** What is more than a few digits; of the plainest, such as ratios, it makes no text. */
  private fraction(): number {
    const { bytes } = this;
    const start = this.at;
    let at = start;
    let value = 0;
    let dotAt = -1;
    for (; ; at += 1) {
      const byte = bytes[at] as number;
      if (byte >= zero && byte <= nine) value = value * 10 + byte - zero;
      else if (byte === dot && dotAt < 0) dotAt = at;
      else break;
    }
    const decimals = at - dotAt - 1;
    const plain = dotAt === start + 1 && decimals > 0 && decimals < exactDigits && !this.isNumberByte(at);
    if (plain) {
      this.at = at;
      return value / (powers[decimals] as number);
    }
    while (this.isNumberByte(at)) at += 1;
    this.at = at;
    const number = JSON.parse(bytes.toString("latin1", start, at)) as unknown; // throws where these are the right characters, but no number
    if (typeof number !== "number") throw otherShape;
    return number;
  }

  private isNumberByte(at: number): boolean {
    return numberBytes.includes(this.bytes[at] as number);
  }

  string(): string {
    const { bytes } = this;
    if (bytes[this.at] !== quote) throw otherShape;
    const start = this.at + 1;
    let at = start;
    for (;;) {
      const byte = bytes[at] as number;
      if (byte === quote) break;
      if (byte === backslash || byte >= 0x80 || byte < 0x20 || byte === undefined) return this.escaped();
      at += 1;
    }
    this.at = at + 1;
    return bytes.toString("latin1", start, at);
  }

  /** The name at a place of a record: mostly the one that the record before had there, and comparing costs a tenth of making a text. */
  private name(known: Names, place: number): string {
    const { bytes } = this;
    const start = this.at + 1;
    const before = known.bytes[place];
    if (before !== undefined && bytes[this.at] === quote && sameBytes(before, bytes, start)) {
      this.at = start + before.length;
      return known.texts[place] as string;
    }
    const text = this.string();
    const closed = bytes.subarray(start, this.at);
    known.bytes[place] = closed.length === text.length + 1 ? Uint8Array.from(closed) : undefined; // only where bytes are the text
    known.texts[place] = text;
    return text;
  }

  private escaped(): string {
    const start = this.at;
    this.skipString();
    return JSON.parse(this.bytes.toString("utf8", start, this.at)) as string;
  }

  private skipString(): void {
    const { bytes } = this;
    let at = this.at + 1;
    for (; bytes[at] !== quote; at += 1) {
      if (at >= bytes.length) throw otherShape;
      if (bytes[at] === backslash) at += 1;
    }
    this.at = at + 1;
  }

  /** A number, text, truth value or null. */
  scalar(): unknown {
    const byte = this.bytes[this.at] as number;
    if (byte === quote) return this.string();
    return byte >= zero && byte <= nine ? this.number() : this.other();
  }

  numbers(): number[] {
    this.byte(opens);
    const list: number[] = [];
    if (this.ends(closes)) return list;
    for (;;) {
      list.push(this.number());
      if (this.ends(closes)) return list;
      this.byte(comma);
    }
  }

  list<T>(element: (cursor: Cursor) => T): T[] {
    this.byte(opens);
    const list: T[] = [];
    if (this.ends(closes)) return list;
    for (;;) {
      list.push(element(this));
      if (this.ends(closes)) return list;
      this.byte(comma);
    }
  }

  record<T>(known: Names, value: (cursor: Cursor) => T): Record<string, T> {
    this.byte(brace);
    const record: Record<string, T> = {};
    if (this.ends(unbrace)) return record;
    for (let place = 0; ; place += 1) {
      const name = this.name(known, place);
      if (name === "__proto__") throw otherShape; // a property like any other in JSON, but not to an assignment
      this.byte(colon);
      record[name] = value(this);
      if (this.ends(unbrace)) return record;
      this.byte(comma);
    }
  }

  /** Goes on over `byte` where it stands here. */
  ends(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false;
    this.at += 1;
    return true;
  }

  /** A value of any shape, by JSON.parse. */
  other(): unknown {
    const start = this.at;
    const { bytes } = this;
    let depth = 0;
    for (;;) {
      const byte = bytes[this.at];
      if (byte === undefined) throw otherShape;
      if (byte === quote) this.skipString();
      else if (depth === 0 && (byte === comma || byte === closes || byte === unbrace || byte === 0x0a)) break;
      else {
        if (byte === opens || byte === brace) depth += 1;
        if (byte === closes || byte === unbrace) depth -= 1;
        this.at += 1;
      }
    }
    return JSON.parse(bytes.toString("utf8", start, this.at));
  }
}

/** Code that goes on over `text`, compared four bytes at a time, or throws. */
function expects(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length < 4) return [...bytes].map((byte) => `c.byte(${byte});`).join("");
  const words: string[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const place = Math.min(at, bytes.length - 4);
    words.push(`v.getUint32(c.at${place === 0 ? "" : ` + ${place}`}, true) !== ${bytes.readUInt32LE(place)}`);
  }
  return `if (${words.join(" || ")}) throw otherShape; c.at += ${bytes.length};`;
}

const scalars: ReadonlySet<string> = new Set(["number", "string", "boolean", "null"]);
const isScalar = (schema: z.core.$ZodType): boolean => scalars.has(schema._zod.def.type);

/** Gathers one function of code for each object, list and record of a schema. */
class Code {
  readonly functions: string[] = [];
  records = 0;

  /** An expression that reads a value of the schema. */
  of(schema: z.core.$ZodType): string {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    switch (def.type) {
      case "number":
        return "c.number()";
      case "string":
      case "enum":
        return "c.string()";
      case "boolean":
        return this.reads(`if (c.bytes[c.at] === 0x74) { ${expects("true")} return true; } ${expects("false")} return false;`);
      case "literal":
        return this.reads(`${expects(JSON.stringify(def.values[0]))} return ${JSON.stringify(def.values[0])};`);
      case "nullable":
        return this.reads(`if (c.bytes[c.at] === 0x6e) { ${expects("null")} return null; } return ${this.of(def.innerType)};`);
      case "array": {
        const element = this.of(def.element);
        return element === "c.number()" ? "c.numbers()" : `c.list((c) => ${element})`;
      }
      case "record":
        return `c.record(names[${this.records++}], (c) => ${this.of(def.valueType)})`;
      case "tuple": {
        const items = def.items.map((item, index) => `${expects(index === 0 ? "[" : ",")} const i${index} = ${this.of(item)};`);
        return this.reads(`${items.join(" ")} ${expects("]")} return [${def.items.map((_, index) => `i${index}`)}];`);
      }
      case "object": {
        const names = Object.keys(def.shape);
        const fields = names.map((name, index) => {
          const before = `${index === 0 ? "{" : ","}${JSON.stringify(name)}:`;
          return `${expects(before)} const f${index} = ${this.of(def.shape[name] as z.core.$ZodType)};`;
        });
        const value = names.map((name, index) => `${JSON.stringify(name)}: f${index}`);
        return this.reads(`${names.length === 0 ? expects("{") : fields.join("\n")} ${expects("}")} return {${value.join(", ")}};`);
      }
      case "union":
        return def.options.every(isScalar) ? "c.scalar()" : "c.other()";
      default:
        return "c.other()";
    }
  }

  private reads(body: string): string {
    const name = `read${this.functions.length}`;
    this.functions.push(`function ${name}(c) { const v = c.view; ${body} }`);
    return `${name}(c)`;
  }
}

type Made<T> = (cursor: Cursor) => T;
const made = new WeakMap<z.ZodType, Made<unknown>>();

function codeFor<T extends z.ZodType>(schema: T): Made<z.infer<T>> {
  const known = made.get(schema);
  if (known !== undefined) return known as Made<z.infer<T>>;
  const code = new Code();
  const value = code.of(schema);
  const body = `"use strict";\n${code.functions.join("\n")}\nreturn (c) => ${value};`;
  const names = Array.from({ length: code.records }, () => new Names());
  const reads = new Function("otherShape", "names", body)(otherShape, names) as Made<z.infer<T>>;
  made.set(schema, reads);
  return reads;
}

/** Reads values of the schema out of bytes. Optional fields and unions are read by JSON.parse, so it pays where there are few. */
export function jsonReader<T extends z.ZodType>(schema: T, bytes: Buffer): JsonReader<z.infer<T>> {
  const reads = codeFor(schema);
  const cursor = new Cursor(bytes);
  return {
    get end() {
      return cursor.at;
    },
    read(at) {
      cursor.at = at;
      try {
        return reads(cursor);
      } catch {
        return undefined; // the text ended early, or is of another shape; who asks knows what to do
      }
    },
  };
}
