import type { ReplyTransport } from "../../../schemas/completion.ts";
import type { MemoryRepair } from "../../../schemas/writer.ts";
import { type CheckReport, checkMemory } from "../../lib/checks/index.ts";
import { type FoldShown, memoryStructure, promptTokens, type RequestFrame, requestFor } from "../../lib/condense-request.ts";
import { readMemory } from "../../lib/memory-reply.ts";
import { renderMemory } from "../../lib/memory-text.ts";
import type { RenderedStep } from "../../lib/render.ts";
import { type Outcome, ok, type Ports, rejected } from "../../stage.ts";
import { accept } from "../accept.ts";
import type { CondenseParams } from "../params.ts";
import { countedReports, findingLines, weightedFindings } from "./rank.ts";
import { structureBy } from "./transports.ts";

/** One memory to be asked for: of a whole fold, or of one piece. */
export interface Asked {
  readonly frame: RequestFrame;
  readonly shown: FoldShown;
  readonly label: string;
  /** Hard reply limit, tokens. */
  readonly capTokens: number;
  /** Kept free for the reply, tokens; and the limit of request and reply together. */
  readonly reserveTokens: number;
  readonly windowTokens: number;
  /** What the checks compare the memory with: everything the model has seen by now. */
  readonly seen: {
    readonly task: string;
    readonly previousMemory: string | null;
    readonly fold: readonly RenderedStep[];
    readonly recent: readonly RenderedStep[];
  };
}

export interface Candidate {
  readonly index: number;
  readonly memory: string;
  readonly tokens: number;
  readonly weighted: number;
  readonly attempt: number;
  readonly repairs: readonly MemoryRepair[];
  readonly model: string;
  readonly transport: ReplyTransport;
}

type Settings = CondenseParams["condense"];

const fits = (asked: Asked, content: string, ports: Ports): boolean =>
  promptTokens(content, ports.countTokens) + asked.reserveTokens <= asked.windowTokens;

/** The request with as many lines of the refusal as fit beside it; none is better than a request that cannot be sent. */
function requestWithin(asked: Asked, refusal: readonly string[], ports: Ports): string {
  for (let lines = refusal.length; lines > 0; lines -= 1) {
    const content = requestFor(asked.frame, { ...asked.shown, refusal: refusal.slice(0, lines).join("\n") });
    if (fits(asked, content, ports)) return content;
  }
  return requestFor(asked.frame, asked.shown);
}

/** Does the first request fit the condenser's window, with the longest reply and its end token? By the exact tokenizer. */
export const requestFits = (asked: Asked, ports: Ports): boolean => fits(asked, requestFor(asked.frame, asked.shown), ports);

/** What the checks find; asked only where it decides something. */
const reportsOf = (asked: Asked, memory: string, { candidates, maxFindings }: Settings): CheckReport[] =>
  candidates === 1 && maxFindings === null ? [] : checkMemory({ ...asked.seen, later: null, memory });

type Try =
  | { readonly ok: true; readonly value: Omit<Candidate, "index" | "attempt"> }
  | { readonly ok: false; readonly why: string; readonly lines: readonly string[] };

async function tryOnce(
  asked: Asked,
  content: string,
  params: CondenseParams,
  ports: Ports,
  place: { index: number; attempt: number },
): Promise<Try> {
  const settings = params.condense;
  const reply = await ports.complete({
    label: asked.label,
    messages: [{ role: "user", content }],
    tools: [],
    maxTokens: asked.capTokens,
    temperature: place.index + place.attempt === 0 ? null : settings.retryTemperature,
    sampleIndex: place.index * settings.attempts + place.attempt,
    structure: structureBy(settings.transport, memoryStructure),
  });
  const read = readMemory(reply.calls[0]?.arguments ?? reply.text);
  if (!read.ok)
    return {
      ok: false,
      why: read.why,
      lines: [`It was not read as a memory. ${read.line > 1 ? `Line ${read.line}: ` : ""}${read.detail}.`],
    };
  const accepted = accept(renderMemory(read.notes), asked.capTokens, params.persona, ports);
  if (!accepted.ok) return { ok: false, why: accepted.why, lines: [accepted.detail] };
  const { memory, tokens } = accepted;
  const reports = reportsOf(asked, memory, settings);
  const counted = countedReports(reports);
  const found = counted.reduce((sum, { findings }) => sum + findings.length, 0);
  if (settings.maxFindings !== null && found > settings.maxFindings)
    return {
      ok: false,
      why: "memory-findings",
      lines: ["It said things that the steps do not bear out. Correct or leave out:", ...findingLines(counted)],
    };
  const { model, transport } = reply;
  return {
    ok: true,
    value: { memory, tokens, weighted: weightedFindings(reports), repairs: read.repairs, model, transport: transport ?? "text" },
  };
}

/** Asks until a memory is acceptable, each time saying what was wrong with the one before. */
export async function candidate(asked: Asked, index: number, params: CondenseParams, ports: Ports): Promise<Outcome<Candidate>> {
  let refusal: readonly string[] = [];
  let why = "memory-empty";
  for (let attempt = 0; attempt < params.condense.attempts; attempt += 1) {
    const tried = await tryOnce(asked, requestWithin(asked, refusal, ports), params, ports, { index, attempt });
    if (tried.ok) return ok({ index, attempt, ...tried.value });
    why = tried.why;
    refusal = tried.lines;
  }
  return rejected(why);
}
