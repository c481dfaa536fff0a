import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { type GateResult, Published } from "../../schemas/publish.ts";
import { Stats } from "../../schemas/stats.ts";
import { ownForms } from "../../stages/lib/secrets/own-values.ts";
import { openHub } from "../adapters/hub.ts";
import { readParts } from "../export/reuse.ts";
import type { Settled } from "../keys.ts";
import { realWorld } from "../llm/retry.ts";
import type { Progress } from "../progress.ts";
import { approvals, askGates, blocks } from "../publish/ask-gates.ts";
import { choose } from "../publish/dataset-files.ts";
import { publishDataset } from "../publish/publish-dataset.ts";
import { retryingFetch } from "../publish/retrying-fetch.ts";
import { hubAddress, hubToken, requireHubToken } from "../publish/token.ts";
import { exportState } from "../run/export-state.ts";
import { ownSecrets } from "../secrets/own.ts";
import { lockRun } from "../store/lock.ts";
import { exportFolder, exportPartsPath, jsonOf, type RunFolder, readTextIfThere, runOptions } from "../store/run-folder.ts";
import { chosenRecipe, type RecipeOptions } from "./chosen-recipe.ts";
import { type CommonOptions, openJudged, print, progressFor, savedRecipe, settleHere, table } from "./shared.ts";
import { drainOnSignals } from "./world.ts";

export interface PublishOptions extends CommonOptions, RecipeOptions {
  readonly repo: string;
  readonly dryRun: boolean;
  readonly public: boolean;
  readonly tag: string | undefined;
  readonly branch: string;
  readonly hub: string | undefined;
}

/** The hub's rule for both halves, and git's for names of branches and tags, cut down to what nobody has to quote. */
const repoRule = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/;
const refRule = /^[A-Za-z0-9][\w.-]{0,95}(?:\/[A-Za-z0-9][\w.-]{0,95})?$/;

function checkNames({ repo, branch, tag }: PublishOptions): void {
  const fault = (message: string): Fault => new Fault("USAGE", "stop", message);
  if (!repoRule.test(repo) || /--|\.\.|\.git$/.test(repo)) throw fault(`expected --repo ORG/NAME, got ${JSON.stringify(repo)}`);
  for (const [option, name] of [
    ["--branch", branch],
    ["--tag", tag],
  ] as const)
    if (name !== undefined && (!refRule.test(name) || /\.\.|\.lock$/.test(name)))
      throw fault(`expected ${option} to be a plain name such as v1.0, got ${JSON.stringify(name)}`);
}

async function freshManifest(run: RunFolder, settled: Settled) {
  const { manifest, lack } = await exportState(run, settled);
  if (manifest !== null && (lack === null || lack.kind === "rows-gone")) return manifest; // a file that is gone is the digest gate's to name
  const why =
    lack?.kind === "missing" || manifest === null
      ? "there is none"
      : lack?.kind === "key"
        ? "the recipe has changed since"
        : `${lack?.kind === "inputs" ? lack.parts.join(", ") : "its input"} changed since`;
  throw new Fault(
    "STAGE_INCOMPLETE",
    "stop",
    `publishing needs the exported dataset as it is now (${why}); make it with: catgen run all ${runOptions(run)}`,
  );
}

function gateText({ gate, looked, mend, findings }: GateResult): string {
  const head = `${blocks({ gate, looked, mend, findings }) ? "STOP" : "ok  "} ${gate}: ${looked}`;
  const lines = findings
    .slice(0, 20)
    .map(({ subject, what, approved }) => `       ${subject}: ${what}${approved === null ? "" : ` (approved: ${approved})`}`);
  const more = findings.length > lines.length ? [`       ... and ${findings.length - lines.length} more`] : [];
  return [head, ...lines, ...more, ...(mend === null ? [] : [`       to mend: ${mend}`])].join("\n");
}

function publishedText(published: Published): string {
  const { repo, branch, files, bytes, leftOut, gates, done, dryRun } = published;
  const listed = table(
    ["file", "bytes", "sha256"],
    files.map((file) => [file.path, String(file.bytes), file.sha256]),
  );
  const total = `${files.length} files, ${(bytes / 1e6).toFixed(1)} MB`;
  const where = `${repo}, branch ${branch}${published.tag === null ? "" : `, tag ${published.tag}`}, ${published.private ? "private" : "public"}`;
  return [
    ...gates.map(gateText),
    "",
    ...(dryRun || done === null ? [listed, ""] : []),
    ...leftOut.map(({ path, why }) => `left out: ${path} (${why})`),
    ...(done?.removed.map((path) => `removed: ${path}`) ?? []),
    done === null
      ? `would go to ${where}: ${total}; files of an earlier publication that are not among them would be removed in the same commit`
      : done.unchanged
        ? `${repo} has these very files already (${total}), commit ${done.commit.slice(0, 12)}`
        : `published to ${where}: ${total}, ${(done.sentBytes / 1e6).toFixed(1)} MB sent, commit ${done.commit.slice(0, 12)}\n${done.url}`,
  ].join("\n");
}

/** The message a script gets; the same findings stand in the report on stdout. */
function blockedFault(gates: readonly GateResult[], run: RunFolder): Fault {
  const stopped = gates.filter(blocks);
  const findings = stopped.flatMap(({ gate, findings: own }) =>
    own.filter(({ approved }) => approved === null).map((one) => ({ gate, ...one })),
  );
  const [first] = findings;
  const example = first === undefined ? "" : JSON.stringify({ gate: first.gate, subject: first.subject, reason: "who looked at what" });
  return new Fault(
    "PUBLISH_BLOCKED",
    "stop",
    `nothing was published: ${stopped.map(({ gate, mend }) => `${gate} (${mend})`).join("; ")}. ${findings.length} findings, the first: ${first?.gate}, ${first?.subject}: ${first?.what}. What you have looked at and may go is approved in the recipe, each by name: publish.approved: [${example}], then the same command with --recipe FILE; all findings: catgen publish --dry-run ${runOptions(run)}`,
  );
}

async function statsIn(folder: string): Promise<Stats | null> {
  const text = await readTextIfThere(join(folder, "stats.json"));
  return text === null ? null : (Stats.safeParse(jsonOf(text)).data ?? null); // damaged: the gate of digests says so
}

interface Going {
  readonly options: PublishOptions;
  readonly run: RunFolder;
  readonly address: string;
  readonly progress: Progress;
}

async function send(token: string, going: Going, plan: Omit<Published, "done">): Promise<Published["done"]> {
  const { options, run, address, progress } = going;
  const drain = drainOnSignals((line) => progress.say(line));
  let sent = 0;
  const onBytes = (bytes: number): void => {
    sent += bytes;
    progress.step("", bytes);
  };
  const ask = retryingFetch({ world: realWorld, signal: drain.signal, onBytes, say: progress.say });
  try {
    return await publishDataset({
      hub: openHub({ address, token, fetch: ask, signal: drain.signal }),
      repo: options.repo,
      branch: options.branch,
      tag: options.tag ?? null,
      private: !options.public,
      folder: exportFolder(run),
      files: plan.files,
      title: `Dataset of ${plan.files.length} files by catgen`,
      description: approvals(plan.gates),
      progress,
      sentBytes: () => sent,
    });
  } finally {
    drain.stop();
  }
}

/** `catgen publish`: gates, then one commit. */
export async function publishCommand(options: PublishOptions): Promise<number> {
  checkNames(options);
  const address = hubAddress(options.hub);
  const run = await openJudged(options);
  const recipe = await chosenRecipe(await savedRecipe(run), options, run.verdict);
  const settled = await settleHere(recipe, run);
  const token = options.dryRun ? await hubToken() : await requireHubToken();
  const progress = progressFor(options);
  const release = await lockRun(run.root); // a run that exported anew in mid-upload would change the files under it
  try {
    const folder = exportFolder(run);
    const manifest = await freshManifest(run, settled);
    const { files, leftOut } = await choose(folder, manifest);
    progress.start("gates", 0);
    const own = [...ownSecrets(settled.endpoint.apiKey), ...(token === null ? [] : ownForms([token]))];
    const gates = await askGates(
      {
        folder,
        files,
        manifest,
        own,
        allowedSecrets: recipe.export.allowSecretTypes,
        sources: (await readParts(exportPartsPath(run), folder)).whole?.account.provenance.sources ?? null,
        stats: await statsIn(folder),
        evaluation: recipe.evaluation,
        onFile: (path) => progress.step(path),
      },
      recipe.publish,
    );
    progress.end();
    const plan = {
      run: run.name,
      repo: options.repo,
      hub: address,
      branch: options.branch,
      tag: options.tag ?? null,
      private: !options.public,
      dryRun: options.dryRun,
      files,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      leftOut,
      gates,
    };
    const blocked = gates.some(blocks);
    const done = blocked || token === null || options.dryRun ? null : await send(token, { options, run, address, progress }, plan);
    const published = Published.parse({ ...plan, done });
    print(options, published, () => publishedText(published));
    if (blocked) throw blockedFault(gates, run);
    return 0;
  } finally {
    await release();
  }
}
