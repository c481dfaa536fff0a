/** Results that are kept at most; our choice, far more than the tools that the runs of one data set have. */
const kept = 512;
/** Longer texts are no tool that runs share, and are not kept; our choice. */
const longestKept = 100_000;

/**
 * Keeps what a pure function made of the last texts: the runs of a scaffold declare the same tools, and reading a schema again takes longer
 * than rendering a short run. When there are too many, all are forgotten, so that memory stays bounded.
 */
export function remembered<T>(of: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly value: T }>();
  return (text) => {
    if (text.length > longestKept) return of(text);
    const before = known.get(text);
    if (before !== undefined) return before.value;
    const value = of(text);
    if (known.size >= kept) known.clear();
    known.set(text, { value });
    return value;
  };
}
