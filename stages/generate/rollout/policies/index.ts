import { none } from "./none.ts";
import type { ContextPolicy } from "./policy.ts";

export const contextPolicies = { none } satisfies Record<string, ContextPolicy>;
export type ContextPolicyName = keyof typeof contextPolicies;
