import type { InsertionPoint, SignalScore } from "../../schemas/sidecars.ts";
import type { ThoughtWriter } from "../../schemas/writer.ts";
import { contextThought } from "../lib/context-thought.ts";
import type { RenderedStep } from "../lib/render.ts";
import type { Ports } from "../stage.ts";

/** What the thought before a context call may be made from: nothing after the cut. */
export interface ThoughtView {
  readonly cut: number;
  readonly reason: InsertionPoint["reason"];
  readonly signals: readonly SignalScore[];
  /** The last steps before the cut, oldest first. */
  readonly lastSteps: readonly RenderedStep[];
  /** A whole number that depends on trajectory and cut: which of the built-in wordings is taken. */
  readonly pick: number;
}

export interface Thought {
  readonly text: string;
  readonly writer: ThoughtWriter;
}

/** The built-in thought; `why`: what spoke against a model's. */
export const templateThought = ({ reason, signals, pick }: ThoughtView, why: string | null): Thought => ({
  text: contextThought(reason, signals, pick),
  writer: { by: "template", why },
});

export const pickOf = (label: string, ports: Pick<Ports, "digest">): number => Number.parseInt(ports.digest(label).slice(0, 8), 16);
