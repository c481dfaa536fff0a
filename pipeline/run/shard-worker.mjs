// Entry of a worker thread: TypeScript has to be switched on again in each.
import { register } from "tsx/esm/api";

register();
await import("./shard-worker.ts");
