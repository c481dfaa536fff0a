/**
 * Findings in uncorrupted memories that a person looked up in the steps and found right: the memory does say what nothing before its cut
 * shows. Keyed by file of `paraphrased.jsonl`; what is not listed here counts as a false alarm. File 41 (lines 205 and 243, reckoned by the
 * writer from the ranges that were shown) is left to count as false.
 */
export const trueFindings: Readonly<Record<number, readonly string[]>> = {
  28: ["71"], // the agent and every listing say line 73
  31: ["3.11", "tests/runtests.py"], // no version was printed; Django's runner was never shown
  32: ["tests/runtests.py"],
  34: ["tests/runtests.py"],
  35: ["tests/runtests.py"],
  40: ["seaborn/relational.py"], // known from elsewhere: shown only after the cut
  77: ["/workspace/django__django__3.0/django/contrib/admin/options.py"], // the same
  79: ["docs/releases/3.0.txt"], // the same
  82: ["src/libponyc/type/alias.c", "matchtype.c"], // the same
  84: ["src/libponyc/expr/match.c"], // the same
};
