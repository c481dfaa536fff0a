import type { ExportedSample, Said, SaidCall, Turn } from "../../schemas/sample.ts";
import type { CallStyle } from "../lib/call-styles/call-style.ts";
import type { Draft, KindInput } from "./kinds/kind.ts";

/** Ids that are their own within the sample: a source's id where no call before it bears it (ids repeat in real data), else one made of the place. */
function createIds(): (wanted: string | null, place: string) => string {
  const taken = new Set<string>();
  return (wanted, place) => {
    let id = wanted === null || wanted === "" || taken.has(wanted) ? place : wanted;
    while (taken.has(id)) id += "_";
    taken.add(id);
    return id;
  };
}

type Message = Pick<Said, "role" | "content"> & Partial<Said>;
const say = (message: Message): Said => ({ calls: [], callId: null, train: false, step: -1, ...message });

/**
 * The draft's turns as the chat API has them: calls apart from the words, each result a message of its own, the system prompt without the
 * tools. Nothing is read back from text but context calls, which are written by the call style alone.
 */
export function saidOf(turns: readonly Turn[], draft: Draft, input: KindInput, style: Pick<CallStyle, "read">): Said[] {
  const { trajectory, rendered, memory } = input;
  const newId = createIds();
  const shown = draft.memories.filter(({ trained }) => !trained).map(({ block }) => block);
  const managed = draft.tools.length > 0;
  let open: readonly SaidCall[] = []; // calls of the turn before
  const said = (turn: Turn): Said[] => {
    const { content, train, step } = turn;
    if (turn.role === "system")
      return managed ? (draft.system === null ? [] : [say({ role: "system", content: draft.system })]) : [say(turn)];
    if (turn.role === "assistant") {
      open = step >= 0 ? callsOf(step) : managed ? contextCalls(content) : [];
      const words = step >= 0 ? (rendered.steps[step]?.thought ?? "") : managed ? style.read(content).thought : content;
      return [say({ role: "assistant", content: words, calls: [...open], train, step })];
    }
    const answered = open;
    if (step >= 0) return answersOf(step, answered);
    const [context] = answered;
    if (context === undefined) return [say({ role: "user", content })];
    const block = memory?.blocks[shown.shift() ?? -1];
    if (block === undefined) throw new Error(`${trajectory.id} shows a memory that is no block's`);
    return [say({ role: "tool", content: block.memory, callId: context.id })];
  };
  const callsOf = (step: number): SaidCall[] =>
    (rendered.steps[step]?.calls ?? []).map(({ name, arguments: args }, index) => ({
      id: newId(trajectory.steps[step]?.calls[index]?.id ?? null, `call_${step}_${index}`),
      name,
      arguments: args,
    }));
  const contextCalls = (text: string): SaidCall[] => style.read(text).calls.map((call) => ({ ...call, id: newId(null, "call_context") }));
  const answersOf = (step: number, calls: readonly SaidCall[]): Said[] => {
    const own = rendered.steps[step];
    const results = (own?.calls ?? []).flatMap(({ result }, index) =>
      result === null ? [] : [say({ role: "tool", content: result, callId: calls[index]?.id ?? null, step })],
    );
    return [...results, ...(own?.feedback ?? []).map((content) => say({ role: "user", content, step }))];
  };
  return turns.flatMap(said);
}

/** What a layout of structured messages works on; export makes it for every sample where such a layout is asked for. */
export function saidBy({ sample, said }: Pick<ExportedSample, "sample" | "said">): readonly Said[] {
  if (said === null) throw new Error(`${sample.id} was exported without its structured messages`);
  return said;
}
