/**
 * The proof of the memory checks: how often corruptions of good memories are found, and how often good memories are blamed.
 *
 *     npx tsx notebooks/checks-proof.ts [--missed]
 *
 * Reads ../shared/trajectories and test/fixtures/memories; `--missed` also lists what went unnoticed.
 */
import { condensedFolds, extractiveFolds, type Fold, haveTrajectories, paraphrasedFolds } from "../test/stages/lib/checks/folds.ts";
import { alarms, detection, poolOf, visibleShare } from "../test/stages/lib/checks/proof.ts";

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

if (!haveTrajectories) {
  say("skipped: there is no folder ../shared/trajectories beside the checkout");
} else {
  const extractive = await extractiveFolds();
  const condensed = await condensedFolds();
  const paraphrased = await paraphrasedFolds();
  const fresh = await paraphrasedFolds("fresh");
  const half = (rest: number): Fold[] => paraphrased.filter(({ file }) => (file ?? 0) % 2 === rest);
  const origins: readonly (readonly [string, readonly Fold[], number])[] = [
    ["extractive", extractive, 1],
    ["openhands-v1", condensed, 6],
    ["paraphrased, even (tuned on)", half(0), 6],
    ["paraphrased, odd", half(1), 6],
    ["fresh", fresh, 6],
  ];
  const pool = poolOf([...extractive, ...condensed, ...paraphrased, ...fresh].map(({ view }) => view));
  const percent = (part: number, whole: number): string => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`);
  for (const [origin, folds, times] of origins) {
    const found = alarms(folds);
    const { needed, visible } = visibleShare(folds);
    say(`\n${origin}: ${found.memories} memories, ${found.claims} claims`);
    say(
      `  with any finding ${found.withFinding} (${percent(found.withFinding, found.memories)}), findings ${found.findings}; ` +
        `false by reading: ${found.withFalse} memories (${percent(found.withFalse, found.memories)}), ${found.falseFindings} findings`,
    );
    say(`  of ${needed} names that later steps use and only the fold had shown, visible: ${percent(visible, needed)}`);
    for (const { corruption, tried, detected, missed } of detection(folds, pool, times, 24)) {
      say(`  ${corruption.padEnd(40)} ${String(detected).padStart(4)} of ${String(tried).padStart(4)}  ${percent(detected, tried)}`);
      if (process.argv.includes("--missed")) for (const { name, change } of missed) say(`      ${name}: ${change.slice(0, 300)}`);
    }
  }
}
