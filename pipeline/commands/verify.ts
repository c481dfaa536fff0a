import { faultCodes } from "../../schemas/fault.ts";
import { verifyRun } from "../run/verify.ts";
import { openRun } from "../store/run-folder.ts";
import { type CommonOptions, print, progressFor, runsFolder } from "./shared.ts";

/** `catgen verify`: reads everything and says what is damaged, with file and row. */
export async function verifyCommand(options: CommonOptions): Promise<number> {
  const run = await openRun(runsFolder(options.runs), options.run);
  const progress = progressFor(options);
  progress.start("verify", run.shards);
  const verified = await verifyRun(run, () => progress.step());
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
