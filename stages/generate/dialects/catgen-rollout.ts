import { Rollout } from "../../../schemas/rollout.ts";
import type { Outcome } from "../../../schemas/trajectory.ts";
import { field, isFields } from "../lenient.ts";
import { shownStep } from "../rollout/messages.ts";
import { resolvedBy } from "../verify.ts";
import type { Dialect } from "./dialect.ts";

function outcomeOf({ end, verification }: Rollout): Outcome {
  const resolved = verification === null ? null : resolvedBy(verification);
  const { exit, rawExit, patch } = end;
  if (verification === null || resolved === null) return { resolved: null, evidence: null, exit, rawExit, patch };
  const { status, failToPass, passToPass, logDigest } = verification;
  const counts = [failToPass, passToPass].map(({ passed, failed }) => `${passed.length}/${passed.length + failed.length}`);
  const detail = `${status}: fail-to-pass ${counts[0]}, pass-to-pass ${counts[1]}`;
  return { resolved, evidence: { kind: "verifier", detail, digest: logDigest }, exit, rawExit, patch };
}

/** Records of our own live runs (`schemas/rollout.ts`). Ours, so parsed strictly; imported like everybody else's. */
export const catgenRollout: Dialect = {
  name: "catgen-rollout",
  family: "catgen",
  recognises: (value) => isFields(value) && field(value, "format") === "catgen.rollout/1",
  read(value) {
    const parsed = Rollout.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return { ok: false, kind: "quarantined", why: `no record of this version: ${issue?.path.join(".")}: ${issue?.message}` };
    }
    const rollout = parsed.data;
    if (rollout.turns.length === 0)
      return { ok: false, kind: "empty", why: `the run ended before its first turn: ${rollout.end.rawExit ?? rollout.end.exit}` };
    const { opening, issue, workdir, repository, instance, model, licence, callStyle, end } = rollout;
    return {
      ok: true,
      run: {
        instance,
        source: rollout.source,
        model,
        licence,
        callStyle,
        task: { system: opening.system, prompt: opening.prompt, issue, workdir, repository, tools: opening.tools },
        steps: rollout.turns.map(shownStep),
        outcome: outcomeOf(rollout),
        marks: end.marks,
      },
    };
  },
};
