/** Opens a sandbox, leaves processes in it and waits to be killed. Started by the contract suite. */
import { sandboxKinds } from "../../../pipeline/sandboxes/index.ts";
import { openAt, run } from "./lib.ts";

const [name = "", image = ""] = process.argv.slice(2);
const kind = sandboxKinds[name as keyof typeof sandboxKinds];
const sandbox = await openAt({ title: name, kind, image: image || null, workdir: "/workspace" });
await run(sandbox, "setsid nohup sleep 16180 >/dev/null 2>&1 & sleep 16180 & true");
console.log("ready");
await run(sandbox, "sleep 16180", 600_000);
