import { resolve } from "node:path";
import { Fault } from "../../schemas/fault.ts";

/** A whole number of at least 1, or undefined when the option was not given. */
export function positive(name: string, value: number | undefined): number | undefined {
  if (value !== undefined && (!Number.isSafeInteger(value) || value < 1))
    throw new Fault("USAGE", "stop", `expected ${name} to be a whole number of at least 1, got ${value}`);
  return value;
}

/** `all`, a whole number of at least 1, or undefined when the option was not given. */
export function limitFrom(value: string | undefined): number | null | undefined {
  return value === undefined ? undefined : value === "all" ? null : positive("--limit", Number(value));
}

/** Where a plot goes: we write SVG and nothing else. */
export function svgPath(path: string): string {
  if (!path.toLowerCase().endsWith(".svg"))
    throw new Fault("USAGE", "stop", `plots are SVG: expected a file name that ends in .svg, got ${JSON.stringify(path)}`);
  return resolve(path);
}
