#!/usr/bin/env node
// The installed command. TypeScript runs through tsx, so that there is no build step and no second copy of the code.
import { register } from "tsx/esm/api";

register();
await import("./cli.ts");
