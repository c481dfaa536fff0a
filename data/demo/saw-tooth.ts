import { writeFile } from "node:fs/promises";
import { loadTokenizer } from "../../pipeline/adapters/tokenizer.ts";
import { runsFolder, savedRecipe } from "../../pipeline/commands/shared.ts";
import { readAllBundles } from "../../pipeline/run/bundles.ts";
import { openRun } from "../../pipeline/store/run-folder.ts";
import { render } from "../../stages/lib/render.ts";
import { measureSizes } from "../../stages/lib/sizes.ts";

/** Draws the README's picture from the demo run: tokens in context at every model call, append-only and with context calls. */

const run = await openRun(runsFolder(undefined), "demo");
const recipe = await savedRecipe(run);
const tokenizer = loadTokenizer("qwen2.5");

interface Curves {
  readonly id: string;
  readonly appended: readonly number[];
  readonly managed: readonly number[];
}

/** The longest trajectory that is kept. */
async function longest(): Promise<Curves> {
  let best: Curves | null = null;
  for await (const { id, trajectory, metrics, verdict } of readAllBundles(run, ["trajectory", "metrics", "verdict"])) {
    if (trajectory?.outcome.ok !== true || metrics?.outcome.ok !== true || verdict?.outcome.ok !== true) continue;
    const managed = metrics.outcome.value.trajectory.promptTokensPerCall;
    const rendering = render(trajectory.outcome.value, recipe.persona);
    if (managed === null || !rendering.ok || !verdict.outcome.value.context.keep) continue;
    const sizes = measureSizes(rendering.value, (text) => tokenizer.count(text));
    const appended = sizes.assistant.map((_, step) => sizes.head + (sizes.upTo[step] ?? 0) + sizes.opening);
    if (best === null || appended.length > best.appended.length) best = { id, appended, managed };
  }
  if (best === null) throw new Error("the demo run keeps no trajectory; run `make demo` first");
  return best;
}

const width = 860;
const height = 340;
const margin = { left: 64, right: 150, top: 44, bottom: 48 };

function picture({ id, appended, managed }: Curves): string {
  const calls = Math.max(appended.length, managed.length);
  const most = Math.ceil(Math.max(...appended, ...managed) / 5_000) * 5_000;
  const x = (call: number): number => margin.left + ((width - margin.left - margin.right) * call) / (calls - 1);
  const y = (tokens: number): number => height - margin.bottom - ((height - margin.top - margin.bottom) * tokens) / most;
  const line = (values: readonly number[]): string =>
    values.map((tokens, call) => `${x(call).toFixed(1)},${y(tokens).toFixed(1)}`).join(" ");
  const text = (at: number, down: number, words: string, more = ""): string =>
    `<text x="${at.toFixed(1)}" y="${down.toFixed(1)}" ${more}>${words}</text>`;
  const ticks = Array.from({ length: most / 5_000 + 1 }, (_, index) => index * 5_000).filter(
    (tokens) => most <= 30_000 || tokens % 10_000 === 0,
  );
  const sum = (values: readonly number[]): string => Math.round(values.reduce((a, b) => a + b, 0) / 1_000).toLocaleString("en");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-sans-serif, system-ui, sans-serif" font-size="12" role="img" aria-label="Tokens in context at each model call, append-only and with context calls">
<rect width="${width}" height="${height}" fill="#ffffff"/>
<g fill="#444444">
${text(margin.left, 22, `Tokens in context at each model call: ${id}`, 'font-size="14" fill="#111111"')}
${ticks.map((tokens) => `<line x1="${margin.left}" x2="${width - margin.right}" y1="${y(tokens).toFixed(1)}" y2="${y(tokens).toFixed(1)}" stroke="#e6e6e6"/>${text(margin.left - 8, y(tokens) + 4, `${tokens / 1_000}k`, 'text-anchor="end"')}`).join("\n")}
${Array.from({ length: Math.floor((calls - 1) / 10) + 1 }, (_, index) => text(x(index * 10), height - margin.bottom + 18, String(index * 10), 'text-anchor="middle"')).join("\n")}
${text((margin.left + width - margin.right) / 2, height - 10, "model call", 'text-anchor="middle"')}
</g>
<polyline points="${line(appended)}" fill="none" stroke="#9a9a9a" stroke-width="2" stroke-dasharray="5 4"/>
<polyline points="${line(managed)}" fill="none" stroke="#1f6feb" stroke-width="2.5" stroke-linejoin="round"/>
${text(x(appended.length - 1) + 8, y(appended.at(-1) ?? 0) + 4, "append-only", 'fill="#777777"')}
${text(x(appended.length - 1) + 8, y(appended.at(-1) ?? 0) + 19, `${sum(appended)}k tokens read`, 'fill="#777777"')}
${text(x(managed.length - 1) + 8, y(managed.at(-1) ?? 0) + 4, "with `context`", 'fill="#1f6feb"')}
${text(x(managed.length - 1) + 8, y(managed.at(-1) ?? 0) + 19, `${sum(managed)}k tokens read`, 'fill="#1f6feb"')}
</svg>
`;
}

const curves = await longest();
const path = new URL("saw-tooth.svg", import.meta.url);
await writeFile(path, picture(curves));
console.log(`data/demo/saw-tooth.svg: ${curves.id}, ${curves.appended.length} steps, ${curves.managed.length} calls`);
