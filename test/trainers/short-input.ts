/** Made-up runs like those of small-input.ts, short enough to train on without a GPU: `npx tsx test/trainers/short-input.ts > FILE.jsonl`. */
import { messageLines } from "../fakes/message-runs.ts";

/** Instances enough for the 20 steps of a test training to see each sample once or twice. */
const instances = Array.from({ length: 12 }, (_, index) => `acme__anvil${index}-${index + 1}`);
process.stdout.write(messageLines(instances.map((instance, index) => ({ instance, steps: 4 + (index % 3), lines: 2 }))));
