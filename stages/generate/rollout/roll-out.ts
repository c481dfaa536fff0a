import type { ChatMessage, Completion, Reply, ToolCall } from "../../../schemas/completion.ts";
import { Fault } from "../../../schemas/fault.ts";
import type { RolloutCall, RolloutEnd, RolloutTurn } from "../../../schemas/rollout.ts";
import type { ExitStatus, Mark } from "../../../schemas/trajectory.ts";
import { contextCall } from "../../lib/personas/persona.ts";
import type { Sandbox } from "../../lib/sandbox.ts";
import { answerCall } from "../tools/answer-call.ts";
import { agentTools } from "../tools/index.ts";
import { openToolState } from "../tools/state.ts";
import type { ToolContext, ToolLimits } from "../tools/tool.ts";
import { type RolloutLimits, type Stop, stopBefore } from "./limits.ts";
import type { Conversation } from "./policies/policy.ts";
import type { WantedTurn } from "./reply.ts";
import { keepStart, takePatch } from "./take-patch.ts";

/** A reply with what it is taken to have cost. */
interface Asked {
  readonly reply: Reply;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** What the loop asks of the world. */
export interface RolloutPorts {
  /** null: the agent has nothing more to say (a script that ended). */
  complete(request: Completion): Promise<Reply | null>;
  countTokens(text: string): number;
  /** Milliseconds, only ever used as differences. */
  now(): number;
  /** Of a reply, by the recipe's price; 0 where the price is not known. */
  costOf(tokensIn: number, tokensOut: number): number;
  /** What the sandbox said, as the agent and the record may see it: without secrets. */
  shown(text: string): string;
  /** Arguments of a call as the sandbox needs them: what `shown` replaced is put back. */
  meant(text: string): string;
  /** Told of every turn when it is over; the run waits, so that it is on disk before the next is paid for. */
  onTurn(turn: RolloutTurn, number: number): Promise<void>;
}

export interface RolloutRequest {
  /** For ledger and messages: `rollout:<instance>:<sample>`. */
  readonly label: string;
  readonly conversation: Conversation;
  /** Where the repository is in the sandbox. */
  readonly workdir: string;
  readonly sample: number;
  readonly temperature: number | null;
  readonly windowTokens: number;
  readonly replyTokens: number;
  readonly limits: RolloutLimits;
  readonly toolLimits: ToolLimits;
}

/** Role and separators that chat templates put around each message; 4 to 7 in the templates we know. */
const tokensPerMessage = 8;
const nudge = (offered: readonly string[]): string =>
  `Your message held no tool call. Every turn needs one: go on with ${offered.map((name) => `\`${name}\``).join(", ")}; \`submit\` ends the task.`;
const notAlone = "Nothing was run: `context` must be the only call of its turn. Call it again alone, or the others without it.";

const callsText = (calls: readonly ToolCall[]): string => calls.map((call) => call.name + call.arguments).join("");
const textOf = (message: ChatMessage): string =>
  message.role === "assistant" ? message.content + callsText(message.calls) : message.content;
const writtenBy = ({ reasoning, text, calls }: Reply): string => (reasoning ?? "") + text + callsText(calls);

/** Endpoints say in many words that a prompt does not fit; these are OpenAI's, vLLM's, SGLang's, llama.cpp's and Anthropic-like gateways'. */
const tooLong = /context[ _](?:length|size|window)|maximum context|too long|exceeds? the (?:available|max)/i;

/** Ends of a run that an endpoint causes; everything else it does stops or delays the whole batch and is thrown on. */
function stopFor(error: unknown): Stop {
  if (!(error instanceof Fault)) throw error;
  if (error.code === "REQUEST_REFUSED")
    return tooLong.test(error.message)
      ? { exit: "context-limit", rawExit: "refused-by-endpoint" }
      : { exit: "error", rawExit: "request-refused" };
  if (error.code === "REPLY_INVALID") return { exit: "error", rawExit: "reply-invalid" };
  throw error;
}

type Next = { readonly turn: RolloutTurn; readonly submitted: boolean };

/**
 * One ReAct run of a live agent: asks, runs what is asked for, and so on until it submits or a limit ends it. All limits are exits, none
 * is an error. Throws what concerns more than this run: a broken sandbox, a spent budget, an endpoint that is away.
 */
export async function rollOut(
  request: RolloutRequest,
  sandbox: Sandbox,
  ports: RolloutPorts,
): Promise<{ readonly turns: RolloutTurn[]; readonly end: RolloutEnd }> {
  const { conversation, limits } = request;
  const startedAt = ports.now();
  const start = await keepStart(sandbox, request.workdir);
  const context: ToolContext = { sandbox, state: openToolState(), limits: request.toolLimits };
  const offered = [...agentTools.keys(), ...(conversation.context === null ? [] : [contextCall.name])];
  const { tools } = conversation;
  const sizes = new WeakMap<object, number>();
  const turns: RolloutTurn[] = [];
  const spent = { tokens: 0, cost: 0 };

  /** By our own tokenizer: each text is counted once however often it is sent. */
  const sizeOf = (key: object, texts: () => readonly string[]): number => {
    const known = sizes.get(key) ?? texts().reduce((sum, text) => sum + tokensPerMessage + ports.countTokens(text), 0);
    sizes.set(key, known);
    return known;
  };
  const groupSize = (group: readonly ChatMessage[]): number => sizeOf(group, () => group.map(textOf));

  async function ask(): Promise<Asked | Stop> {
    const groups = conversation.before(turns);
    const prompt = groups.reduce((sum, group) => sum + groupSize(group), 0) + (tools.length === 0 ? 0 : sizeOf(tools, () => tools));
    return askFor(groups.flat(), prompt, request.replyTokens, String(turns.length));
  }

  async function askFor(messages: ChatMessage[], prompt: number, maxTokens: number, place: string): Promise<Asked | Stop> {
    if (prompt + maxTokens > request.windowTokens) return { exit: "context-limit", rawExit: "window-full" };
    const { temperature, sample: sampleIndex } = request;
    try {
      const reply = await ports.complete({
        label: `${request.label}:${place}`,
        messages,
        tools: [...tools],
        maxTokens,
        temperature,
        sampleIndex,
      });
      if (reply === null) return { exit: "step-limit", rawExit: "script-ended" };
      const { tokensIn, tokensOut } = reply;
      return { reply, tokensIn: tokensIn ?? prompt, tokensOut: tokensOut ?? ports.countTokens(writtenBy(reply)) };
    } catch (error) {
      return stopFor(error);
    }
  }

  const charge = ({ tokensIn, tokensOut }: Asked): void => {
    spent.tokens += tokensIn + tokensOut;
    spent.cost += ports.costOf(tokensIn, tokensOut);
  };

  /** The result of a lone context call: the memory, or why there is none yet. */
  async function condensed(): Promise<{ readonly text: string; readonly made: boolean } | Stop> {
    const wanted = conversation.context?.request(turns);
    if (wanted === undefined || !wanted.ok) return { text: wanted?.why ?? "", made: false };
    const messages = [...wanted.messages];
    const asked = await askFor(messages, groupSize(messages), wanted.maxTokens, `${turns.length}:memory`);
    if ("exit" in asked) return asked;
    charge(asked);
    return { text: conversation.context?.memory(asked.reply.text) ?? "", made: true };
  }

  async function contextTurn(wanted: WantedTurn): Promise<Pick<RolloutTurn, "calls"> | Stop> {
    const answered = wanted.calls.length === 1 ? await condensed() : { text: notAlone, made: false };
    if ("exit" in answered) return answered;
    const { text, made } = answered;
    return { calls: wanted.calls.map((call) => ({ ...call, result: text, exitCode: null, failed: !made, malformed: !made })) };
  }

  async function act({ reply }: Asked): Promise<Next | Stop> {
    const wanted = conversation.read(reply);
    const said = { thought: wanted.thought, reasoning: wanted.reasoning, tokensIn: reply.tokensIn, tokensOut: reply.tokensOut };
    if (conversation.context !== null && wanted.calls.some(({ name }) => name === contextCall.name)) {
      const answered = await contextTurn(wanted);
      return "exit" in answered ? answered : { turn: { ...said, ...answered, feedback: [] }, submitted: false };
    }
    const calls: RolloutCall[] = [];
    let submitted = false;
    for (const call of wanted.calls) {
      if (submitted) break; // nothing happens after the end
      const { text, exitCode, failed, ends, malformed } = await answerCall(
        { ...call, arguments: ports.meant(call.arguments) },
        offered,
        context,
      );
      calls.push({ ...call, result: ports.shown(text), exitCode, failed, malformed });
      submitted = ends;
    }
    const feedback = wanted.problem !== null ? [wanted.problem] : calls.length === 0 ? [nudge(offered)] : [];
    return { turn: { ...said, calls, feedback }, submitted };
  }

  async function finished(exit: ExitStatus, rawExit: string | null): Promise<{ turns: RolloutTurn[]; end: RolloutEnd }> {
    const taken = await takePatch(sandbox, request.workdir, start);
    const marks: Mark[] = taken.ok && taken.lossy ? ["lossy-utf8"] : [];
    const whys = [rawExit, taken.ok ? null : taken.why].filter((why) => why !== null);
    return { turns, end: { exit, rawExit: whys.length > 0 ? whys.join(", ") : null, patch: taken.ok ? taken.patch : null, marks } };
  }

  for (;;) {
    const stop = stopBefore(turns, { ...spent, minutes: (ports.now() - startedAt) / 60_000 }, limits);
    if (stop !== null) return finished(stop.exit, stop.rawExit);
    const asked = await ask();
    if ("exit" in asked) return finished(asked.exit, asked.rawExit);
    charge(asked);
    const done = await act(asked);
    if ("exit" in done) return finished(done.exit, done.rawExit);
    const { turn, submitted } = done;
    turns.push(turn);
    await ports.onTurn(turn, turns.length - 1);
    if (submitted) return finished("submitted", null);
  }
}
