/**
 * The proof of the contamination measure: which real runs on evaluation tasks are found, by id and by text alone, and how much of an
 * evaluation task other texts have.
 *
 *     npx tsx notebooks/contamination.ts
 *
 * Reads ../shared/trajectories and data/decontamination.
 */
import { telltaleShare } from "../schemas/contamination.ts";
import {
  anonymous,
  haveRuns,
  held,
  listed,
  type RealRun,
  realRuns,
  shareOf,
  sharesAmongPatches,
  sharesAmongStatements,
  skipped,
} from "../test/pipeline/contamination/proof.ts";

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const verified = listed("swe-bench-verified");
const lite = listed("swe-bench-lite");
const reaching = (shares: readonly number[], share: number): number => shares.filter((one) => one >= share).length;
const least = (values: readonly number[]): string => Math.min(...values).toFixed(3);
const most = (values: readonly number[]): string => Math.max(0, ...values).toFixed(3);

function found(name: string, runs: readonly RealRun[]): void {
  const byId = runs.filter(({ run }) => held(run).instance.length > 0);
  const shares = runs.map(({ run }) => shareOf(run));
  const bare = runs.map((one) => shareOf(anonymous(one)));
  say(`\n${name}: ${runs.length} runs of ${new Set(runs.map(({ task }) => task)).size} tasks`);
  say(`  by id: ${byId.length}`);
  say(`  by text: ${reaching(shares, telltaleShare)}, least share ${least(shares)}`);
  say(`  by text, without id, repository and paths: ${reaching(bare, telltaleShare)}, least share ${least(bare)}`);
  const unnamed = runs.filter((one) => !byId.includes(one));
  if (unnamed.length > 0) say(`  not by id, since the run does not say it: ${unnamed.map(({ run }) => run.origin.file).join(", ")}`);
}

function alarms(name: string, runs: readonly RealRun[]): void {
  const shares = runs.map(({ run }) => shareOf(run));
  const tasks = new Set(runs.map(({ task }) => task)).size;
  say(`  ${name}: ${reaching(shares, telltaleShare)} of ${runs.length} rows (${tasks} tasks), largest share ${most(shares)}`);
}

if (!haveRuns) {
  say(skipped);
} else {
  const runs = await realRuns();
  found(
    "SWE-bench Verified",
    runs.filter(({ task }) => verified.has(task)),
  );
  found(
    "SWE-bench Lite alone, whose statements are in no shipped index",
    runs.filter(({ task }) => lite.has(task) && !verified.has(task)),
  );
  const others = runs.filter(({ task }) => !verified.has(task) && !lite.has(task));
  say(`\nfalse alarms by text, from a share of ${telltaleShare} on`);
  alarms(
    "SWE-smith",
    others.filter(({ run }) => run.origin.file.includes("swe-smith")),
  );
  alarms(
    "SWE-rebench (nebius)",
    others.filter(({ run }) => run.origin.file.includes("nebius")),
  );
  alarms("all runs on no evaluation task", others);
  const patches = sharesAmongPatches(runs);
  say(`\npatches: two runs on one task share ${patches.same.map((share) => share.toFixed(2)).join(" ")}`);
  say(
    `  of ${patches.other.length} pairs on different tasks: ${patches.other.filter(({ share }) => share > 0).length} have anything in common`,
  );
  for (const { share, tasks } of patches.other.filter((pair) => pair.share > 0)) say(`    ${share.toFixed(3)}  ${tasks}`);
}
for (const own of [false, true]) {
  const among = sharesAmongStatements(own);
  const shares = among.map(({ share }) => share);
  say(
    `\nstatements of Verified against one another, ${own ? "fingerprints of one task alone (as measured)" : "all fingerprints"}: ${among.length}`,
  );
  for (const share of [0.5, 0.4, 0.3, 0.2, 0.1]) say(`  from ${share} on: ${reaching(shares, share)}`);
  for (const { task, other, share } of among.slice(0, 3)) say(`    ${share.toFixed(3)}  ${task} in ${other}`);
}
