/**
 * The checks over the memories of the built-in condenser, fold by fold, in one process:
 *
 *     npx tsx test/bench/checks.bench.ts [rounds]
 *
 * Needs ../shared/trajectories. The first look at a step reads it, later ones remember; both are shown.
 */
import { checkMemory } from "../../stages/lib/checks/index.ts";
import { extractiveFolds, type Fold, haveTrajectories } from "../stages/lib/checks/folds.ts";
import { fixed, machine, median, print } from "./lib.ts";

const rounds = Number(process.argv[2] ?? 5);

/** Characters that a check of this fold may look at. */
const size = ({ view }: Fold): number =>
  [...view.fold, ...view.recent].reduce(
    (sum, step) => sum + step.assistant.length + (step.user?.length ?? 0),
    view.task.length + view.memory.length,
  );

/** Equal steps that nobody has seen yet: what is remembered of a step hangs on the object. */
const fresh = ({ view, ...rest }: Fold): Fold => ({ ...rest, view: structuredClone(view) });

if (!haveTrajectories) console.log("skipped: there is no folder ../shared/trajectories beside the checkout");
else {
  const folds = await extractiveFolds();
  const megabytes = folds.reduce((sum, fold) => sum + size(fold), 0) / 1e6;
  const time = (fold: Fold): number => {
    const started = process.cpuUsage(); // of the process, so that a busy machine does not count
    checkMemory({ ...fold.view });
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1_000;
  };
  const runs = Array.from({ length: rounds }, () => {
    const copies = folds.map(fresh);
    return { first: copies.map(time), again: copies.map(time) };
  });
  const sum = (times: readonly number[]): number => times.reduce((a, b) => a + b, 0);
  const row = (name: string, pick: (run: (typeof runs)[number]) => readonly number[]): (string | number)[] => [
    name,
    fixed(median(runs.map((run) => median(pick(run)))), 2),
    fixed(median(runs.map((run) => Math.max(...pick(run)))), 1),
    fixed(median(runs.map((run) => sum(pick(run)))) / megabytes, 1),
  ];
  console.log(`${machine()}\n${folds.length} folds, ${fixed(megabytes)} MB of folded and recent steps, median of ${rounds} rounds\n`);
  print(
    ["", "CPU ms/fold (median)", "slowest", "CPU ms/MB"],
    [row("first look", (run) => run.first), row("steps known", (run) => run.again)],
  );
}
