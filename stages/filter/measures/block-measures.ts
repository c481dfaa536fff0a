import type { BlockMetrics } from "../../../schemas/metrics.ts";
import { survivalOf } from "../../lib/checks/drift.ts";
import { clausesOf, linesOfMemory } from "../../lib/checks/lines.ts";
import { toldNames } from "../../lib/checks/sufficient.ts";
import { shownFindings } from "../../lib/shown-findings.ts";
import { spanTokens } from "../../lib/sizes.ts";
import type { Measure, SeenBlock } from "./measure.ts";

const foldTokens = ({ sizes, block, previous }: SeenBlock): number => spanTokens(sizes, previous?.keptFrom ?? 0, block.keptFrom);
const ratio = (after: number, before: number): number => (before === 0 ? 0 : Math.round((after / before) * 1e6) / 1e6);
const before = (seen: SeenBlock): number =>
  seen.sizes.head + seen.previousTokens + spanTokens(seen.sizes, seen.previous?.keptFrom ?? 0, seen.block.cut) + seen.sizes.opening;
const after = (seen: SeenBlock): number =>
  seen.sizes.head + seen.blockTokens + spanTokens(seen.sizes, seen.block.keptFrom, seen.block.cut) + seen.sizes.opening;

const counted = (results: SeenBlock["results"]): BlockMetrics["checks"] =>
  Object.fromEntries(results.map(({ check, looked, findings }) => [check, [looked, findings.length]]));
const shown = (results: SeenBlock["results"]): BlockMetrics["findings"] =>
  results.flatMap(({ check, findings }) => shownFindings(findings).map((finding) => ({ check, ...finding })));

/** Names that later steps need, told per 1,000 tokens of memory; CAT 2.4 (5) asks for calls with information gain, the definition is ours. */
function informationGain({ view, memoryTokens }: SeenBlock): number | null {
  const { needed, told } = toldNames(view);
  return needed === 0 || memoryTokens === 0 ? null : Math.round((told / needed / memoryTokens) * 1e7) / 1e4;
}

/** Sentences as they stand, without bullets and runs of blanks; a heading is none. */
const sentences = (memory: string): string[] =>
  linesOfMemory(memory)
    .flatMap(({ text, code }) => (code ? [text] : clausesOf(text)))
    .map((text) => text.replace(/\s+/g, " ").trim());

function repeatedMemoryShare({ view }: SeenBlock): number | null {
  if (view.previousMemory === null) return null;
  const before = new Set(sentences(view.previousMemory));
  let [all, repeated] = [0, 0];
  for (const sentence of sentences(view.memory)) {
    all += sentence.length;
    if (before.has(sentence)) repeated += sentence.length;
  }
  return all === 0 ? 0 : Math.round((repeated / all) * 1e4) / 1e4;
}

/** Per context call. `fold*` compares the memory with what it replaces, `window*` the whole window; Table 1 does not say which it means. */
export const blockMeasures: { readonly [K in keyof BlockMetrics]: Measure<SeenBlock, BlockMetrics[K]> } = {
  cut: ({ block }) => block.cut,
  gapSteps: ({ block, previous }) => block.cut - (previous?.cut ?? 0),
  foldTokens,
  previousMemoryTokens: ({ previousTokens }) => previousTokens,
  memoryTokens: ({ memoryTokens }) => memoryTokens,
  foldRatio: (seen) => ratio(seen.memoryTokens, seen.previousTokens + foldTokens(seen)),
  windowTokensBefore: before,
  windowTokensAfter: after,
  windowRatio: (seen) => ratio(after(seen), before(seen)),
  checks: ({ results }) => counted(results),
  findings: ({ results }) => shown(results),
  previousFacts: ({ view }) => survivalOf(view).facts,
  keptFacts: ({ view }) => survivalOf(view).kept,
  informationGain,
  repeatedMemoryShare,
  judgedFindings: ({ block }) => (block.judged !== null && "found" in block.judged ? block.judged.found : null),
};
