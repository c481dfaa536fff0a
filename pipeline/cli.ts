import { readdirSync, readFileSync } from "node:fs";
import yargs, { type Argv } from "yargs";
import { hideBin } from "yargs/helpers";
import { Fault, faultCodes } from "../schemas/fault.ts";
import type { CommonOptions } from "./commands/shared.ts";

/**
 * The command line. Each command's module is loaded when it is called, so that `--help` answers at once. Whatever goes wrong ends in
 * `report`, which prints one clear line and gives the exit status of DESIGN 6.
 */

const stagesHelp = "1 to 6, a range such as 2-5, all, or a name: generate, detect, condense, stitch, measure, judge, select, export";

const withRun = <T>(parser: Argv<T>) =>
  parser
    .option("run", { type: "string", describe: "Name of the run (a folder under --runs)", requiresArg: true })
    .option("runs", {
      type: "string",
      describe: "Folder that holds the runs (default: CATGEN_RUNS, data/runs in a checkout, ./catgen-runs elsewhere)",
      requiresArg: true,
    })
    .option("json", { type: "boolean", default: false, describe: "Print one JSON object on stdout; everything else goes to stderr" })
    .option("quiet", { type: "boolean", default: false, describe: "No progress on stderr" });

const withVerdict = <T>(parser: Argv<T>) =>
  withRun(parser).option("verdict", {
    type: "string",
    describe: "Verdict set: judge and export under filters of its own, side by side in one run (default: the set without a name)",
    requiresArg: true,
  });

const withRecipe = <T>(parser: Argv<T>) =>
  parser
    .option("recipe", {
      type: "string",
      describe:
        "Recipe to use instead of the run's own: a YAML file, or a preset (paper, strict, lenient, audit; for a mixture mix-20k; for launch configs train-paper, train-7b, ...)",
      requiresArg: true,
    })
    .option("set", {
      type: "string",
      array: true,
      default: [],
      describe: "Change one value of the recipe: --set filter.minSteps=20 (once per value)",
      nargs: 1, // else it would take the positionals behind it, too
    });

interface Given {
  readonly run: string | undefined;
  readonly runs: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verdict?: string | undefined;
}

/** --run may be left out where there is just one run. */
async function common(given: Given): Promise<CommonOptions> {
  const { runsFolder } = await import("./commands/shared.ts");
  const { runs, json, quiet, verdict } = given;
  if (given.run !== undefined) return { run: given.run, runs, json, quiet, verdict };
  let names: string[] = [];
  try {
    names = readdirSync(runsFolder(runs)).sort();
  } catch {
    names = []; // no folder, no runs
  }
  const [only] = names;
  if (only !== undefined && names.length === 1) return { run: only, runs, json, quiet, verdict };
  throw new Fault(
    "USAGE",
    "stop",
    `give --run NAME; ${names.length === 0 ? `there is no run in ${runsFolder(runs)} yet` : `runs here: ${names.join(", ")}`}`,
  );
}

let status = 0;
const handle = (work: () => Promise<number>) => async (): Promise<void> => {
  const { report } = await import("./commands/shared.ts");
  try {
    status = await work();
  } catch (error) {
    status = report(error);
  }
};

const version = (): string =>
  (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }).version;

const parser = yargs(hideBin(process.argv))
  .scriptName("catgen")
  .usage(
    "$0 <command>\n\nTurns trajectories of software-engineering agents into training data that teaches a model to manage its own context.",
  )
  .command(
    "run <stages>",
    "Do what is missing of these stages, verify, and say what there is",
    (parser) =>
      withRecipe(withVerdict(parser))
        .positional("stages", { type: "string", demandOption: true, describe: stagesHelp })
        .option("input", {
          type: "string",
          array: true,
          default: [],
          describe: "Files and folders with trajectories, or hf://ORG/NAME[@REVISION][/PATH] on the hub (remembered by the run)",
          requiresArg: true,
        })
        .option("tasks", {
          type: "string",
          array: true,
          default: [],
          describe: "Tasks for a live agent: SWE-bench-like rows (JSON, JSONL, Parquet) or folders with task.yaml (remembered by the run)",
          requiresArg: true,
        })
        .option("limit", {
          type: "string",
          describe: "Import, or roll out, the first N trajectories only; stays until --limit all",
          requiresArg: true,
        })
        .option("runtime", {
          type: "string",
          describe: "runtime.yaml of a dataset: the live agent keeps to what a model was trained on (persona, window, k, context calls)",
          requiresArg: true,
        })
        .option("shards", { type: "string", describe: "Only these shards of stages 2 to 5, such as 0-3,7", requiresArg: true })
        .option("jobs", {
          type: "number",
          describe: "Threads for stages that compute (default: the cores), and live runs at once (default: generate.rollout.atOnce)",
          requiresArg: true,
        })
        .option("plan", {
          type: "boolean",
          default: false,
          describe: "Only say what would be made and what the model would cost; changes nothing",
        })
        .option("yes", { type: "boolean", default: false, describe: "Do not ask before stage 3 spends more than llm.askAbove" })
        .example("$0 run all --run mine --input ~/runs", "everything, from a folder of real runs")
        .example("$0 run 3 --run mine --plan", "calls, tokens, cost and hours of the memories that are missing")
        .example("$0 run all --run live --tasks tasks.jsonl", "live runs of the configured model in sandboxes, then everything else")
        .example("$0 run 5-6 --run mine --set filter.minSteps=20", "judge again with another threshold, export anew")
        .example(
          "$0 run 5-6 --run mine --verdict strict --recipe strict",
          "judge and export by stricter filters too, beside what is there",
        ),
    (args) =>
      handle(async () => {
        const { limitFrom, positive } = await import("./commands/option-values.ts");
        const run = args.plan ? (await import("./commands/run-plan.ts")).planCommand : (await import("./commands/run.ts")).runCommand;
        return run({
          ...(await common(args)),
          stages: args.stages,
          recipe: args.recipe,
          set: args.set,
          runtime: args.runtime,
          input: args.input,
          tasks: args.tasks,
          limit: limitFrom(args.limit),
          shards: args.shards,
          jobs: positive("--jobs", args.jobs),
          yes: args.yes,
        });
      })(),
  )
  .command(
    "status",
    "What exists, what is missing or stale, what was spent",
    (parser) => withVerdict(parser),
    (args) => handle(async () => (await import("./commands/status.ts")).statusCommand(await common(args)))(),
  )
  .command(
    "why <stages>",
    "What would run again, and which parameter or input is the cause",
    (parser) => withRecipe(withVerdict(parser)).positional("stages", { type: "string", demandOption: true, describe: stagesHelp }),
    (args) =>
      handle(async () => {
        const { whyCommand } = await import("./commands/why.ts");
        return whyCommand({ ...(await common(args)), stages: args.stages, recipe: args.recipe, set: args.set });
      })(),
  )
  .command(
    "verify",
    "Read every stored byte and check it against manifests and digests",
    (parser) => withVerdict(parser),
    (args) => handle(async () => (await import("./commands/verify.ts")).verifyCommand(await common(args)))(),
  )
  .command(
    "repair",
    "Make broken shards anew, and nothing else",
    (parser) => withVerdict(parser),
    (args) => handle(async () => (await import("./commands/repair.ts")).repairCommand(await common(args)))(),
  )
  .command(
    "stats",
    "Table-1 statistics of the run beside the paper's, and what every filter took",
    (parser) =>
      withVerdict(parser).option("all", { type: "boolean", default: false, describe: "Count rejected trajectories too" }).option("plot", {
        type: "string",
        describe: "Draw the funnel into this file (SVG)",
        requiresArg: true,
      }),
    (args) =>
      handle(async () => (await import("./commands/stats.ts")).statsCommand({ ...(await common(args)), all: args.all, plot: args.plot }))(),
  )
  .command(
    "analyze",
    "What the metrics look like, and what would be kept under other thresholds",
    (parser) =>
      withRecipe(withVerdict(parser))
        .option("threshold", {
          type: "string",
          array: true,
          default: [],
          describe: "Show what this threshold would keep at other values, and the trajectories next to it (once per threshold)",
          nargs: 1,
        })
        .option("measures", { type: "boolean", default: false, describe: "Show percentiles of every measure" })
        .option("all", { type: "boolean", default: false, describe: "Show every threshold and every measure (hundreds of lines)" })
        .option("pair", { type: "string", describe: "Two thresholds that move together: minFoldTokens,maxFoldRatio", requiresArg: true })
        .option("suggest", {
          type: "string",
          describe: "keep=0.4: thresholds that keep this share of the measured trajectories, each cutting the same share off its worse end",
          requiresArg: true,
        })
        .option("move", {
          type: "string",
          describe: "Thresholds that --suggest moves: minFoldTokens,minSteps (default: those over single calls that are on)",
          requiresArg: true,
        })
        .option("diff", {
          type: "string",
          array: true,
          describe: "Two verdict sets (`default` is the one without a name): what one keeps and the other does not, and why",
          requiresArg: true,
        })
        .option("plot", { type: "string", describe: "File for the plot (SVG; default: report/ in the run)", requiresArg: true })
        .example("$0 analyze --run mine --set filter.minSteps=20", "what if")
        .example("$0 analyze --run mine --threshold minSteps", "what other limits would keep, with the cases at the border")
        .example("$0 analyze --run mine --diff default strict", "what the set `strict` does differently"),
    (args) =>
      handle(async () => {
        const { analyzeCommand } = await import("./commands/analyze.ts");
        const { recipe, set, threshold, measures, all, pair, suggest, move, diff, plot } = args;
        return analyzeCommand({ ...(await common(args)), recipe, set, threshold, measures, all, pair, suggest, move, diff, plot });
      })(),
  )
  .command(
    "show [id]",
    "One trajectory as a person reads it: steps, signals, context calls, memories, verdict",
    (parser) =>
      withVerdict(parser)
        .positional("id", { type: "string", describe: "Id of a trajectory, or a part of it that names it alone" })
        .option("list", { type: "boolean", default: false, describe: "List all trajectories instead (also without an id)" })
        .option("fold", { type: "number", describe: "Only context call N: what was folded, and the memory", requiresArg: true })
        .option("full", { type: "boolean", default: false, describe: "Do not shorten long texts" }),
    (args) =>
      handle(async () => {
        const { positive } = await import("./commands/option-values.ts");
        const { showCommand } = await import("./commands/show.ts");
        return showCommand({ ...(await common(args)), id: args.id, list: args.list, full: args.full, fold: positive("--fold", args.fold) });
      })(),
  )
  .command("batch", "Memories by an offline batch (OpenAI's Batch API, vllm run-batch) instead of an endpoint, wave by wave", (parser) =>
    parser
      .command(
        "write <file>",
        "Write the requests that stage 3 needs next into FILE; its records wait for the results",
        (parser) =>
          withRun(parser)
            .positional("file", { type: "string", demandOption: true, describe: "File to write (JSONL)" })
            .option("again", { type: "boolean", default: false, describe: "Also ask again what earlier batches have no result for" })
            .option("shards", { type: "string", describe: "Only these shards, such as 0-3,7", requiresArg: true })
            .example("$0 batch write --run mine wave-1.jsonl", "then: vllm run-batch -i wave-1.jsonl -o results-1.jsonl --model MODEL"),
        (args) =>
          handle(async () => {
            const { batchWriteCommand } = await import("./commands/batch.ts");
            return batchWriteCommand({ ...(await common(args)), file: args.file, again: args.again, shards: args.shards });
          })(),
      )
      .command(
        "read <files..>",
        "Take the results of batches in, as if they had come over the wire",
        (parser) =>
          withRun(parser).positional("files", {
            type: "string",
            array: true,
            demandOption: true,
            describe: "Files of results and of errors",
          }),
        (args) =>
          handle(async () => {
            const { batchReadCommand } = await import("./commands/batch.ts");
            return batchReadCommand({ ...(await common(args)), files: args.files });
          })(),
      )
      .demandCommand(1, "Say what to do: batch write FILE, or batch read FILE"),
  )
  .command(
    "scan <paths..>",
    "Look for secrets in files and folders of any kind, Parquet included, before they are published",
    (parser) =>
      parser
        .positional("paths", { type: "string", array: true, demandOption: true, describe: "Files and folders" })
        .option("personal", {
          type: "string",
          array: true,
          default: [],
          describe: "Personal data, too: all, mail, phone, ip, home-path or commit-name (once per kind)",
          nargs: 1,
        })
        .option("allow", { type: "string", array: true, default: [], describe: "A type that may be there (once per type)", nargs: 1 })
        .option("json", { type: "boolean", default: false, describe: "Print one JSON object on stdout; everything else goes to stderr" })
        .option("quiet", { type: "boolean", default: false, describe: "No progress on stderr" }),
    ({ paths, personal, allow, json, quiet }) =>
      handle(async () => (await import("./commands/scan.ts")).scanCommand({ paths, personal, allow, json, quiet }))(),
  )
  .command("decontamination", "Evaluation sets that training data must not touch: fingerprints of your copy of one", (parser) =>
    parser
      .command(
        "index",
        "Make an index of an evaluation set from a local file of its rows: ids and hashes of 13-word windows, no text",
        (parser) =>
          parser
            .option("from", {
              type: "string",
              demandOption: true,
              describe: "Rows of the set: .parquet, .jsonl or .json (the latter two also .gz, .zst)",
              requiresArg: true,
            })
            .option("fields", {
              type: "string",
              default: "problem_statement",
              describe:
                "Fields with the task's words and with reference patches; NAME:text or NAME:patch says which, else names ending in patch or diff are patches. Shares are of all fields of a kind together, so name no test_patch beside patch",
              requiresArg: true,
            })
            .option("id", { type: "string", default: "instance_id", describe: "Field with the instance's id", requiresArg: true })
            .option("name", { type: "string", demandOption: true, describe: "What hits are reported under", requiresArg: true })
            .option("out", {
              type: "string",
              demandOption: true,
              describe: "File to write (.tsv.gz, or .tsv for plain text)",
              requiresArg: true,
            })
            .option("json", {
              type: "boolean",
              default: false,
              describe: "Print one JSON object on stdout; everything else goes to stderr",
            })
            .option("quiet", { type: "boolean", default: false, describe: "No progress on stderr" })
            .example(
              "$0 decontamination index --from verified.parquet --fields problem_statement,patch --name my-set --out my-set.tsv.gz",
              "then, to hold runs against it: run 5-6 --run mine --set 'evaluation.indexes=[my-set.tsv.gz]'",
            ),
        ({ from, fields, id, name, out, json, quiet }) =>
          handle(async () => {
            const { indexCommand } = await import("./commands/decontamination.ts");
            return indexCommand({ from, fields, id, name, out, json, quiet });
          })(),
      )
      .demandCommand(1, "Say what to do: decontamination index --from FILE --name NAME --out FILE"),
  )
  .command(
    "publish",
    "Push the exported dataset to the Hugging Face Hub in one commit, behind gates for secrets, licences and evaluation data",
    (parser) =>
      withRecipe(withVerdict(parser))
        .option("repo", {
          type: "string",
          demandOption: true,
          describe: "Dataset on the hub: ORG/NAME; created where there is none",
          requiresArg: true,
        })
        .option("dry-run", {
          type: "boolean",
          default: false,
          describe: "Only ask the gates and list what would go (path, bytes, sha256); needs no network and no token",
        })
        .option("public", { type: "boolean", default: false, describe: "Everybody may read it (default: private)" })
        .option("tag", { type: "string", describe: "Name this revision, such as v1.0; never moved once it is there", requiresArg: true })
        .option("branch", {
          type: "string",
          default: "main",
          describe: "Branch to commit to; created from main where there is none",
          requiresArg: true,
        })
        .option("hub", { type: "string", describe: "Address of the hub (default: HF_ENDPOINT, https://huggingface.co)", requiresArg: true })
        .epilogue("The token is read from CATGEN_HF_TOKEN, HF_TOKEN or the file that `hf auth login` writes.")
        .example("$0 publish --run mine --repo me/cat-swe --dry-run", "what would go, and whether the gates let it")
        .example("$0 publish --run mine --repo me/cat-swe --tag v1.0", "publish it, privately, and name the revision"),
    (args) =>
      handle(async () => {
        const { publishCommand } = await import("./commands/publish.ts");
        const { repo, tag, branch, hub, recipe, set } = args;
        return publishCommand({ ...(await common(args)), repo, tag, branch, hub, recipe, set, dryRun: args.dryRun, public: args.public });
      })(),
  )
  .command(
    "recipe",
    "Print every parameter with its default, as commented YAML; or a preset",
    (parser) =>
      parser.option("preset", {
        type: "string",
        describe:
          "Print this preset instead: paper, strict, lenient, audit; mix-20k; train-paper, train-7b, ... (each says where its numbers come from)",
        requiresArg: true,
      }),
    (args) => handle(async () => (await import("./commands/recipe.ts")).recipeCommand(args.preset))(),
  )
  .demandCommand(1, "Name a command. The shortest way from runs to a dataset: catgen run all --run mine --input PATH")
  .strict()
  .recommendCommands()
  .help()
  .version(version())
  .wrap(Math.min(110, process.stdout.columns ?? 110))
  .fail((message, error) => {
    const isUsage = error === undefined || error === null || error.name === "YError";
    if (!isUsage) throw error;
    process.stderr.write(`${message ?? error?.message}\n\nSee: catgen --help\n`);
    process.exit(faultCodes.USAGE.exit);
  });

await parser.parseAsync();
process.exitCode = status;
