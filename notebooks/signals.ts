/**
 * How often the signals of a run speak, how they agree with each other and, given labels, with readers; beside rules that look at nothing.
 * Reads a run, prints Markdown, writes nothing:
 *
 *     npx tsx notebooks/signals.ts --run NAME [--runs DIR] [--labels FILE ...] [--seeds 100]
 *
 * A labels file is one pass of reading, one JSON line a boundary: {id, cut, kind, why}; `cut: null, kind: none` where there is none.
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { type SignalName, signals } from "../stages/detect/signals/index.ts";
import type { Signal } from "../stages/detect/signals/signal.ts";
import {
  agreementOf,
  type Counts,
  countsOf,
  everySteps,
  everyTokens,
  intersection,
  kindAgreement,
  noCounts,
  pairs,
  plus,
  randomCuts,
  tuned,
  union,
} from "../stages/lib/boundary-agreement.ts";
import { drawer } from "../stages/lib/drawer.ts";
import { cutsIn, type Pass, readPass, readRun, type Scored, within } from "./labelled-run.ts";

type Cuts = readonly number[];
type CutsOf = (one: Scored) => Cuts;
const say = (text = ""): void => void process.stdout.write(`${text}\n`);
const table = (head: readonly string[], rows: readonly (readonly string[])[]): void => {
  say(`| ${head.join(" | ")} |`);
  say(`| ${head.map((_, index) => (index === 0 ? "---" : "---:")).join(" | ")} |`);
  for (const row of rows) say(`| ${row.join(" | ")} |`);
  say();
};
const two = (value: number | null): string => (value === null ? "-" : value.toFixed(2));
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const names = Object.keys(signals) as SignalName[];
const speaking =
  (wanted: (name: string) => boolean): CutsOf =>
  ({ detection }) =>
    detection.candidates.flatMap(({ cut, signals: found }) => (found.some(({ signal }) => wanted(signal)) ? [cut] : []));
const chosen: CutsOf = ({ detection }) => detection.points.map(({ cut }) => cut);
const atLeast =
  (score: number): CutsOf =>
  ({ detection }) =>
    detection.candidates.flatMap((candidate) => (candidate.score >= score ? [candidate.cut] : []));

function frequencies(scored: readonly Scored[]): void {
  const steps = sum(scored.map(({ tokens }) => tokens.length));
  const cuts = sum(scored.map(({ first, last }) => Math.max(0, last - first + 1)));
  say(`${scored.length} trajectories, ${steps} steps, ${cuts} legal cuts; a signal speaks where its score is above 0.\n`);
  table(
    ["signal", "family", "sees", "cuts", "of all cuts", "per 100 steps", "mean score", "trajectories"],
    names.map((name) => {
      const { family, sees }: Signal = signals[name];
      const found = scored.flatMap(({ detection }) =>
        detection.candidates.flatMap((one) => one.signals.filter(({ signal }) => signal === name)),
      );
      const where = scored.filter((one) => speaking((signal) => signal === name)(one).length > 0).length;
      return [
        name,
        family,
        sees,
        String(found.length),
        `${((100 * found.length) / Math.max(1, cuts)).toFixed(1)} %`,
        ((100 * found.length) / Math.max(1, steps)).toFixed(1),
        found.length === 0 ? "-" : two(sum(found.map(({ score }) => score)) / found.length),
        String(where),
      ];
    }),
  );
}

function pairwise(scored: readonly Scored[]): void {
  say(`Agreement of signals: shared cuts (+-${within} step) / cuts of either (Jaccard).\n`);
  const of = (name: string): CutsOf => speaking((signal) => signal === name);
  const jaccard = (left: string, right: string): number | null =>
    agreementOf(scored.map((one) => countsOf(of(left)(one), of(right)(one), within)).reduce(plus, noCounts)).jaccard;
  table(
    ["", ...names.map((_, index) => String(index + 1))],
    names.map((name, row) => [`${row + 1} ${name}`, ...names.map((other, column) => (column < row ? two(jaccard(name, other)) : ""))]),
  );
}

function passAgreement(left: Pass, right: Pass, title: string): void {
  const ids = [...left.keys()].filter((id) => right.has(id));
  const labels = (pass: Pass): number => sum(ids.map((id) => cutsIn(pass, id).length));
  say(`${title}: ${ids.length} trajectories read by both; ${labels(left)} and ${labels(right)} cuts.\n`);
  const kindAt = (pass: Pass, id: string, cut: number): string => pass.get(id)?.find((label) => label.cut === cut)?.kind ?? "none";
  table(
    ["steps apart, at most", "matched", "F1", "same kind, of the matched", "kappa"],
    [0, 1, 2].map((apart) => {
      const { f1 } = agreementOf(ids.map((id) => countsOf(cutsIn(left, id), cutsIn(right, id), apart)).reduce(plus, noCounts));
      const both = ids.flatMap((id) =>
        pairs(cutsIn(left, id), cutsIn(right, id), apart).map((pair): [string, string] => [
          kindAt(left, id, pair.left),
          kindAt(right, id, pair.right),
        ]),
      );
      const { share, kappa } = kindAgreement(both);
      return [String(apart), String(both.length), two(f1), two(share), two(kappa)];
    }),
  );
}

/** F1 of as many cuts per trajectory at random, averaged over seeds. */
function randomF1(scored: readonly Scored[], cutsOf: CutsOf, wanted: CutsOf, apart: number, seeds: number): number | null {
  const scores = Array.from({ length: seeds }, (_, seed) => {
    const draw = drawer(seed + 1);
    return agreementOf(scored.map((one) => countsOf(randomCuts(one, cutsOf(one).length, draw), wanted(one), apart)).reduce(plus, noCounts))
      .f1;
  }).flatMap((f1) => f1 ?? []);
  return scores.length === 0 ? null : sum(scores) / scores.length;
}

/** Rules that look at nothing, with as many cuts in all as `like` has. */
function baselines(scored: readonly Scored[], like: CutsOf): [string, CutsOf][] {
  const total = sum(scored.map((one) => like(one).length));
  const bySteps = tuned(
    scored,
    everySteps,
    Array.from({ length: 200 }, (_, index) => index + 1),
    total,
  );
  const byTokens = tuned(
    scored,
    everyTokens,
    Array.from({ length: 600 }, (_, index) => 100 * (index + 1)),
    total,
  );
  const place = new Map(scored.map((one, index) => [one.id, index]));
  const at =
    (cuts: readonly Cuts[]): CutsOf =>
    (one) =>
      cuts[place.get(one.id) ?? -1] ?? [];
  return [
    [`every ${bySteps.parameter} steps`, at(bySteps.cuts)],
    [`every ${byTokens.parameter} tokens`, at(byTokens.cuts)],
  ];
}

function against(scored: readonly Scored[], wanted: CutsOf, title: string, seeds: number): void {
  const counts = (cutsOf: CutsOf, apart: number): Counts =>
    scored.map((one) => countsOf(cutsOf(one), wanted(one), apart)).reduce(plus, noCounts);
  const legal = sum(scored.map((one) => wanted(one).filter((cut) => cut >= one.first && cut <= one.last).length));
  const strong = (score: number): [string, CutsOf] => [`any, weighted score >= ${score}`, atLeast(score)];
  const past = (name: string): boolean => signals[name as SignalName]?.sees === "past";
  const points: [string, CutsOf] = ["chosen points", chosen];
  const rows: [string, CutsOf][] = [
    ...names.map((name): [string, CutsOf] => [name, speaking((signal) => signal === name)]),
    ["any that sees the past alone", speaking(past)],
    ["the same without growth", speaking((name) => past(name) && signals[name as SignalName]?.family !== "growth")],
    ["any", speaking(() => true)],
    strong(0.6),
    strong(0.8),
    points,
    ...baselines(scored, chosen).map(([name, cutsOf]): [string, CutsOf] => [`${name} (as many as chosen)`, cutsOf]),
    ...baselines(scored, wanted).map(([name, cutsOf]): [string, CutsOf] => [`${name} (as many as labels)`, cutsOf]),
  ];
  say(`${title}: ${sum(scored.map((one) => wanted(one).length))} cuts in ${scored.length} trajectories, ${legal} of them legal.\n`);
  table(
    ["cuts of", "n", "precision", "recall", "F1", "F1 at random", "F1, exact", "F1, exact, at random"],
    rows.map(([name, cutsOf]) => {
      const all = counts(cutsOf, within);
      const { precision, recall, f1 } = agreementOf(all);
      const chance = (apart: number): string => two(randomF1(scored, cutsOf, wanted, apart, seeds));
      return [
        name,
        String(all.found),
        two(precision),
        two(recall),
        two(f1),
        chance(within),
        two(agreementOf(counts(cutsOf, 0)).f1),
        chance(0),
      ];
    }),
  );
}

/** Which kinds of boundary are found by what. */
function recallByKind(scored: readonly Scored[], passes: readonly Pass[]): void {
  const family = (wanted: string): CutsOf => speaking((name) => (signals[name as SignalName] as Signal | undefined)?.family === wanted);
  const columns: [string, CutsOf][] = [
    ...["growth", "boundary", "error-correction"].map((name): [string, CutsOf] => [name, family(name)]),
    ["any that sees the past alone", speaking((name) => (signals[name as SignalName] as Signal | undefined)?.sees === "past")],
    ["any", speaking(() => true)],
    ["weighted score >= 0.6", atLeast(0.6)],
    ["chosen points", chosen],
  ];
  const labels = passes.flatMap((pass) => scored.flatMap((one) => (pass.get(one.id) ?? []).map((label) => ({ one, label }))));
  say(`Share of the labels of all passes that have a cut within ${within} step, by kind.\n`);
  table(
    ["kind", "labels", ...columns.map(([name]) => name)],
    [...new Set(labels.map(({ label }) => label.kind))].sort().map((kind) => {
      const own = labels.filter(({ label }) => label.kind === kind);
      const hit = (cutsOf: CutsOf): number =>
        own.filter(({ one, label }) => cutsOf(one).some((cut) => Math.abs(cut - (label.cut ?? 0)) <= within)).length;
      return [kind, String(own.length), ...columns.map(([, cutsOf]) => two(hit(cutsOf) / own.length))];
    }),
  );
}

function labelled(
  scored: readonly Scored[],
  rejected: ReadonlyMap<string, string>,
  files: readonly string[],
  passes: readonly Pass[],
  seeds: number,
): void {
  const [left, right] = passes;
  if (left === undefined) return;
  const title = (index: number): string => basename(files[index] ?? "", ".jsonl");
  say(`## Beside the labels, +-${within} step\n`);
  if (right !== undefined) passAgreement(left, right, `${title(0)} and ${title(1)}`);
  const missing = [...left.keys()].filter((id) => rejected.has(id));
  if (missing.length > 0) say(`Left out, without insertion points: ${missing.map((id) => `${id} (${rejected.get(id)})`).join("; ")}.\n`);
  for (const [index, pass] of passes.entries())
    against(
      scored.filter(({ id }) => pass.has(id)),
      ({ id }) => cutsIn(pass, id),
      title(index),
      seeds,
    );
  recallByKind(scored, passes);
  if (right === undefined) return;
  const both = scored.filter(({ id }) => left.has(id) && right.has(id));
  against(both, ({ id }) => union(cutsIn(left, id), cutsIn(right, id), within), "Either pass", seeds);
  against(both, ({ id }) => intersection(cutsIn(left, id), cutsIn(right, id), within), "Both passes", seeds);
}

const { values } = parseArgs({
  options: {
    run: { type: "string" },
    runs: { type: "string" },
    labels: { type: "string", multiple: true, default: [] },
    seeds: { type: "string", default: "100" },
  },
});
if (values.run === undefined) {
  process.stderr.write("usage: npx tsx notebooks/signals.ts --run NAME [--runs DIR] [--labels FILE ...] [--seeds 100]\n");
  process.exitCode = 64;
} else {
  const { scored, rejected } = await readRun(values.run, values.runs);
  say("## How often signals speak\n");
  frequencies(scored);
  if (rejected.size > 0)
    say(`${rejected.size} trajectories have no insertion points stored: ${[...new Set(rejected.values())].sort().join("; ")}.\n`);
  pairwise(scored);
  labelled(scored, rejected, values.labels, await Promise.all(values.labels.map(readPass)), Number(values.seeds));
}
