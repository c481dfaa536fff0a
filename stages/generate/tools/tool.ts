import type { Sandbox } from "../../lib/sandbox.ts";
import type { ToolState } from "./state.ts";

export interface ToolLimits {
  /** Longest time of one command, milliseconds; a call's own `timeout` can only shorten it. */
  readonly commandTimeoutMs: number;
  /** Most characters of one observation, see `truncate`. */
  readonly observationChars: number;
  /** Largest file that the editor opens, bytes. */
  readonly fileBytes: number;
}

export interface ToolContext {
  readonly sandbox: Sandbox;
  /** Of this rollout. */
  readonly state: ToolState;
  readonly limits: ToolLimits;
}

/** What a call gave. Holds no times and nothing that differs between two runs in equal sandboxes, save what commands themselves print. */
export interface Observation {
  readonly text: string;
  /** null: the tool has no opinion, since exit codes of commands mean different things. */
  readonly failed: boolean | null;
  readonly exitCode: number | null;
  /** The agent hands in with this call. */
  readonly ends: boolean;
}

export type ParsedArguments<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly why: string };

/** A tool of the live agent. What it offers is defined once, in `stages/lib/personas/paper-tools`, for samples and rollouts alike. */
export interface AgentTool<Value = unknown> {
  readonly name: string;
  /** Raw JSON text of the function schema. */
  readonly schema: string;
  /** `json`: arguments as the model wrote them. `why` says, for the model, what was expected and what came. */
  parse(json: string): ParsedArguments<Value>;
  /** Throws a `Fault` when the sandbox broke; whatever the call did is an observation. */
  run(value: Value, context: ToolContext): Promise<Observation>;
}

export const succeeded = (text: string): Observation => ({ text, failed: false, exitCode: null, ends: false });
/** `ERROR:` is how OpenHands begins such an answer; signals know it. */
export const refused = (why: string): Observation => ({ text: `ERROR:\n${why}`, failed: true, exitCode: null, ends: false });
