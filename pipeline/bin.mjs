#!/usr/bin/env node
// The installed command. TypeScript runs through tsx, so that there is no build step and no second copy of the code.
// What every command needs is loaded before tsx is: through its loader each of these packages' 200 files takes three times as long.
import "yargs";
import "yargs/helpers";
import "zod";
import { register } from "tsx/esm/api";

register();
await import("./cli.ts");
