/**
 * Damages real and made runs of every dialect and reads them: no crash, no hang, no changed prototype, nothing in a row that the source
 * does not say. `npx tsx test/fuzz/dialects.fuzz.ts --cases 10000 [--dialect NAME] [--from N]`; the same cases every time.
 */
import { parseArgs } from "node:util";
import { dialects } from "../../stages/generate/dialects/index.ts";
import { runCases } from "./run-cases.ts";
import { seedsByDialect } from "./seeds.ts";

const { values } = parseArgs({
  options: { cases: { type: "string", default: "10000" }, dialect: { type: "string" }, from: { type: "string", default: "0" } },
});
const [cases, from] = [Number(values.cases), Number(values.from)];
const seeds = seedsByDialect();
const started = performance.now();
let failed = 0;
for (const name of Object.keys(dialects).filter((dialect) => values.dialect === undefined || dialect === values.dialect)) {
  const own = seeds.get(name) ?? [];
  const begun = performance.now();
  const { outcomes, failures, slowestMs } = runCases(name, own, from, from + cases);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  const counts = Object.entries(outcomes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([outcome, count]) => `${outcome} ${count}`)
    .join(", ");
  console.log(
    `${name}: ${cases} cases of ${own.length} runs in ${seconds} s, slowest ${Math.round(slowestMs)} ms: ${counts}; failures ${failures.length}`,
  );
  for (const failure of failures.slice(0, 10)) console.log(`  ${failure.slice(0, 1_500)}`);
  failed += failures.length;
}
console.log(`${failed} failures in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
if (failed > 0) process.exitCode = 1;
