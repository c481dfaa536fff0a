import { readFileSync } from "node:fs";

/** Version of catgen, as its package says. */
export const catgenVersion = (): string =>
  (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }).version;
