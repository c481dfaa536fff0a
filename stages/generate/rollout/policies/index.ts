import { cat } from "./cat.ts";
import { none } from "./none.ts";
import type { ContextPolicy } from "./policy.ts";

export const contextPolicies = { none, cat } satisfies Record<string, ContextPolicy>;
export type ContextPolicyName = keyof typeof contextPolicies;
