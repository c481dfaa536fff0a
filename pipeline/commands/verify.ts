import { faultCodes } from "../../schemas/fault.ts";
import { type Damage, type Verified, verifyRun } from "../run/verify.ts";
import { type RunFolder, verdictNames, withVerdict } from "../store/run-folder.ts";
import { type CommonOptions, openJudged, print, progressFor } from "./shared.ts";

/** Damage of a verdict set is named with it, as its folders are. */
export const inVerdict = (damage: readonly Damage[], { verdict }: RunFolder): Damage[] =>
  damage.map((one) => (verdict === null ? one : { ...one, stage: `${one.stage}-${verdict}` }));

/** Everything and all verdict sets, or, where one is named, everything it rests on and that one. */
async function verifyAll(run: RunFolder, named: boolean, step: () => void): Promise<Verified> {
  const first = await verifyRun(run, step);
  let { files, rows } = first;
  const damage = inVerdict(first.damage, run);
  for (const name of named ? [] : await verdictNames(run)) {
    const set = withVerdict(run, name);
    const verified = await verifyRun(set, () => undefined, true);
    files += verified.files;
    rows += verified.rows;
    damage.push(...inVerdict(verified.damage, set));
  }
  return { files, rows, damage };
}

/** `catgen verify`: reads everything and says what is damaged, with file and row. */
export async function verifyCommand(options: CommonOptions): Promise<number> {
  const run = await openJudged(options);
  const progress = progressFor(options);
  progress.start("verify", run.shards);
  const verified = await verifyAll(run, options.verdict !== undefined, () => progress.step());
  progress.end();
  print(options, { run: run.name, ...verified }, () =>
    [
      ...verified.damage.map(({ stage, shard, what }) => `${stage}${shard === null ? "" : ` shard ${shard}`}: ${what}`),
      verified.damage.length === 0
        ? `run ${run.name}: ${verified.files} files with ${verified.rows} rows are whole and agree with each other`
        : `run ${run.name}: ${verified.damage.length} problems in ${verified.files} files. Make them anew with: catgen repair --run ${run.name}`,
    ].join("\n"),
  );
  return verified.damage.length === 0 ? 0 : faultCodes.ROWS_CORRUPT.exit;
}
