import type { DetectRecipe } from "../../schemas/recipe/detect.ts";
import type { WindowRecipe } from "../../schemas/recipe/window.ts";
import type { Candidate, SignalScore } from "../../schemas/sidecars.ts";
import type { Step } from "../../schemas/trajectory.ts";
import type { Sizes } from "../lib/sizes.ts";
import { factsOf, type StepFacts } from "./facts.ts";
import { type SignalName, signals } from "./signals/index.ts";
import type { Said, Setting, Signal } from "./signals/signal.ts";

/** What scoring asks of the parameters of `detect`. */
export interface ScoreParams {
  readonly window: Pick<WindowRecipe, "tokens" | "keepSteps">;
  readonly detect: Pick<DetectRecipe, "weights">;
}

const rounded = (score: number): number => Math.round(score * 1e6) / 1e6; // six digits, so that a row does not hang on the last bit of a sum

/** What one signal says at each cut; `[cut]` for 0 < cut <= steps. A signal that sees the past is handed one step after the other. */
export function saidBy(signal: Signal, setting: Setting, steps: readonly StepFacts[]): readonly (Said | undefined)[] {
  if (signal.sees === "past") {
    const next = signal.watch(setting);
    return [undefined, ...steps.map((step) => next(step))];
  }
  const at = signal.survey(setting, steps);
  return [undefined, ...steps.map((_, index) => at(index + 1))];
}

/**
 * Every legal cut with the signals that speak for it. A cut's score is the largest weighted signal, not their sum: signals of one family
 * see the same thing from several sides, and a cut is as good as its best reason. Weights of 0 switch a signal off. About linear.
 */
export function scoreCuts(steps: readonly Step[], sizes: Sizes, { window, detect }: ScoreParams): Candidate[] {
  const tokens = sizes.assistant.map((size, index) => size + (sizes.user[index] ?? 0));
  const facts = factsOf(steps, tokens);
  const setting = { headTokens: sizes.head, windowTokens: window.tokens };
  const names = (Object.keys(signals) as SignalName[]).filter((name) => detect.weights[name] > 0);
  const said = names.map((name) => [name, saidBy(signals[name], setting, facts)] as const);
  const candidates: Candidate[] = [];
  for (let cut = window.keepSteps + 1; cut < steps.length; cut += 1) {
    const found = said.flatMap(([signal, at]): SignalScore[] => {
      const { score, evidence } = at[cut] ?? { score: 0, evidence: [] };
      return rounded(score) > 0 ? [{ signal, score: rounded(score), evidence: [...evidence] }] : [];
    });
    if (found.length === 0) continue;
    const score = Math.max(...found.map((one) => one.score * detect.weights[one.signal as SignalName]));
    candidates.push({ cut, score: rounded(score), signals: found });
  }
  return candidates;
}
