import type { ContextPolicy } from "./policy.ts";

/** ReAct as it is: the context only grows, until it no longer fits (arXiv 2210.03629). */
export const none: ContextPolicy = { name: "none", view: (turns) => turns };
