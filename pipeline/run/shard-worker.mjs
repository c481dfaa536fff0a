// Entry of a worker thread: TypeScript has to be switched on again in each, after what needs none of it (see ../bin.mjs).
import "zod";
import { register } from "tsx/esm/api";

register();
await import("./shard-worker.ts");
