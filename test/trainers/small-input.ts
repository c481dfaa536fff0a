/** Made-up runs in the plain messages format, for an export where no data is at hand: `npx tsx test/trainers/small-input.ts > FILE.jsonl`. */
import { messageLines } from "../fakes/message-runs.ts";

const instances = ["acme__anvil-1", "acme__anvil-2", "born__bolt-1", "cogs__crank-1"];
process.stdout.write(messageLines(instances.map((instance, index) => ({ instance, steps: 60 + 20 * index }))));
