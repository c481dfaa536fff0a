import { Fault } from "../../../schemas/fault.ts";
import type { CondenseInput } from "../../lib/condense-input.ts";
import { condenseRequest, type FoldShown, requestOverhead, stepText, wholeFold } from "../../lib/condense-request.ts";
import { type Outcome, ok, type Ports, rejected } from "../../stage.ts";
import { type Asked, type Candidate, candidate, requestFits } from "../ask/candidate.ts";
import { type Piece, piecesOf, pieceText } from "../ask/pieces.ts";
import { better } from "../ask/rank.ts";
import { allSettled } from "../ask/settled.ts";
import { modelThought } from "../ask/thought.ts";
import { windowOf } from "../ask/window.ts";
import type { CondenseParams } from "../params.ts";
import { type Thought, templateThought } from "../thought.ts";
import type { CondenseJob, Condenser } from "./condenser.ts";

/** The best of the candidates, or why the first of them failed. */
async function bestOf(asked: Asked, params: CondenseParams, ports: Ports): Promise<Outcome<Candidate>> {
  const indices = Array.from({ length: params.condense.candidates }, (_, index) => index);
  const all = await allSettled(indices.map((index) => candidate(asked, index, params, ports)));
  const good = all.flatMap((one) => (one.ok ? [one.value] : []));
  const [best] = good.sort(better(asked.frame.targetTokens));
  return best === undefined ? rejected(all.find((one) => !one.ok)?.why ?? "memory-empty") : ok(best);
}

/** What is asked where the whole fold fits. */
const askedWhole = ({ input, label, params }: CondenseJob): Asked => ({
  frame: input,
  shown: wholeFold(input),
  label: `condense:${label}`,
  capTokens: input.capTokens,
  reserveTokens: Math.max(params.window.replyTokens, input.capTokens + 1), // as for every call that a sample stands for (DESIGN 5)
  windowTokens: windowOf(params),
  seen: input,
});

/** The last of the recent steps that fit beside the last piece; they are only looked at, so older ones may be missing. */
function recentWithin(input: CondenseInput, most: number, ports: Ports): string {
  const first = input.first + input.fold.length;
  let shown = "";
  for (let index = input.recent.length - 1; index >= 0; index -= 1) {
    const step = input.recent[index];
    const text = step === undefined ? "" : `${stepText(step, first + index)}${shown === "" ? "" : `\n\n${shown}`}`;
    if (ports.countTokens(text) > most) break;
    shown = text;
  }
  return shown;
}

/** How a window is shared out where a fold is condensed in pieces: a quarter for the memory before, a quarter for the memory to come. */
export const pieceShare = 0.25;

interface InPieces {
  readonly pieces: readonly Piece[];
  readonly capTokens: number;
  /** Room for steps in one request, tokens. */
  readonly room: number;
}

/** How the fold is cut; null: the window is too small for any piece. */
function cutUp({ input, params }: CondenseJob, ports: Ports): InPieces | null {
  const window = windowOf(params);
  const capTokens = Math.min(input.capTokens, Math.floor(window * pieceShare));
  const before = Math.max(capTokens, ports.countTokens(input.previousMemory ?? ""));
  const room = window - (capTokens + 1) - before - requestOverhead(ports.countTokens) - ports.countTokens(input.task) - labelTokens;
  if (room < fewestStepTokens) return null;
  return { pieces: piecesOf(input, room, ports.countTokens), capTokens, room };
}

/** "(part 12 of 34; the memory so far covers the parts before)" and where it meets its neighbours. */
const labelTokens = 32;
/** Below this a request would be almost all instructions. Our choice. */
const fewestStepTokens = 256;

/** Condenses the pieces one after the other, each memory folded into the next; the last is the block's. */
async function throughPieces(job: CondenseJob, cut: InPieces, ports: Ports): Promise<Outcome<Candidate>> {
  const { input, label, params } = job;
  const { pieces, capTokens, room } = cut;
  let previousMemory = input.previousMemory;
  let last: Outcome<Candidate> = rejected("window-exceeded");
  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    const fold = pieceText(piece, input.first);
    const shown: FoldShown = {
      fold,
      recent: isLast ? recentWithin(input, room - ports.countTokens(fold), ports) : "",
      piece: { number: index + 1, of: pieces.length },
      refusal: null,
    };
    const asked: Asked = {
      frame: { task: input.task, previousMemory, targetTokens: Math.min(input.targetTokens, capTokens), capTokens },
      shown,
      label: `condense:${label}#${index + 1}`,
      capTokens,
      reserveTokens: capTokens + 1,
      windowTokens: windowOf(params),
      seen: { ...input, fold: input.fold.slice(0, (piece.at(-1)?.step ?? 0) + 1), recent: isLast ? input.recent : [] },
    };
    if (!requestFits(asked, ports)) return rejected("window-exceeded");
    last = await bestOf(asked, params, ports);
    if (!last.ok) return last;
    previousMemory = last.value.memory;
  }
  return last;
}

async function writeMemory(job: CondenseJob, ports: Ports): Promise<Outcome<{ readonly best: Candidate; readonly pieces: number }>> {
  const whole = askedWhole(job);
  const cut = requestFits(whole, ports) ? null : cutUp(job, ports);
  if (cut === null && !requestFits(whole, ports)) return rejected("window-exceeded");
  const best = cut === null ? await bestOf(whole, job.params, ports) : await throughPieces(job, cut, ports);
  return best.ok ? ok({ best: best.value, pieces: cut?.pieces.length ?? 1 }) : best;
}

const thoughtOf = (job: CondenseJob, ports: Ports): Promise<Thought> =>
  job.params.condense.thought === "llm" ? modelThought(job, ports) : Promise.resolve(templateThought(job.thought, null));

/** Asks the backbone with the canonical request. A request the endpoint refuses (too long for it) is a fact about this trajectory. */
export const llm: Condenser = async (job, ports) => {
  const memory = writeMemory(job, ports).catch((error: unknown) => {
    if (error instanceof Fault && error.code === "REQUEST_REFUSED") return rejected("request-refused");
    throw error;
  });
  const [written, thought] = await Promise.allSettled([memory, thoughtOf(job, ports)]);
  if (written.status === "rejected") throw written.reason;
  if (!written.value.ok) return written.value;
  if (thought.status === "rejected") throw thought.reason;
  const { best, pieces } = written.value.value;
  const { model, transport, attempt, index, repairs } = best;
  return ok({
    memory: best.memory,
    thought: thought.value.text,
    writer: {
      condenser: "llm",
      model,
      request: ports.digest(condenseRequest(job.input)),
      transport,
      attempt,
      candidates: job.params.condense.candidates,
      taken: index,
      repairs: [...repairs],
      pieces,
      thought: thought.value.writer,
    },
  });
};
