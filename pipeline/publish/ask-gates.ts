import type { GateResult } from "../../schemas/publish.ts";
import type { GateName, PublishRecipe } from "../../schemas/recipe/publish.ts";
import type { GateInput } from "./gates/gate.ts";
import { gates } from "./gates/index.ts";

/** Asks every gate, whatever the others found: a person mends all of it at once. */
export async function askGates(input: GateInput, { approved }: PublishRecipe): Promise<GateResult[]> {
  const results: GateResult[] = [];
  for (const [gate, ask] of Object.entries(gates) as [GateName, (typeof gates)[GateName]][]) {
    const { looked, findings, mend } = await ask(input);
    const reasonFor = (subject: string): string | null =>
      approved.find((one) => one.gate === gate && one.subject === subject)?.reason ?? null;
    results.push({
      gate,
      looked,
      mend: findings.length === 0 ? null : mend,
      findings: findings.map((finding) => ({ ...finding, approved: reasonFor(finding.subject) })),
    });
  }
  return results;
}

export const blocks = ({ findings }: GateResult): boolean => findings.some(({ approved }) => approved === null);

/** What was let through by name, one line each, for the commit. */
export const approvals = (results: readonly GateResult[]): string =>
  results
    .flatMap(({ gate, findings }) => findings.map((finding) => ({ gate, ...finding })))
    .filter(({ approved }) => approved !== null)
    .map(({ gate, subject, what, approved }) => `Approved at the gate ${gate}: ${subject} (${what}). ${approved}`)
    .join("\n");
