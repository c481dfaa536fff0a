/** Finds any number of exact values in one pass over a text (Aho and Corasick 1975): time grows with the text and the values, never with their product. */
export interface ValueFinder {
  /** Every place of every value, from left to right; those that overlap are one find, named by the first. */
  find(text: string): { readonly value: string; readonly start: number; readonly end: number }[];
}

const step = (node: number, code: number): number => node * 65_536 + code;

export function createValueFinder(values: readonly string[]): ValueFinder {
  const next = new Map<number, number>();
  const ends: (string | null)[] = [null];
  const letters: number[][] = [[]];
  for (const value of values) {
    if (value === "") continue;
    let node = 0;
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      const known = next.get(step(node, code));
      if (known === undefined) {
        next.set(step(node, code), ends.push(null) - 1);
        letters.push([]);
        letters[node]?.push(code);
        node = ends.length - 1;
      } else node = known;
    }
    ends[node] = value;
  }
  const fail = failLinks(next, ends, letters);
  const starts = new Uint8Array(65_536);
  for (const code of letters[0] ?? []) starts[code] = 1;
  return { find: (text) => (values.length === 0 ? [] : found(text, next, ends, fail, starts)) };
}

/** Breadth first: where to go on when the next character fits nothing; `ends` inherits the value that ends there too. */
function failLinks(next: ReadonlyMap<number, number>, ends: (string | null)[], letters: readonly number[][]): Int32Array {
  const fail = new Int32Array(ends.length);
  const queue = [0];
  for (let head = 0; head < queue.length; head += 1) {
    const node = queue[head] ?? 0;
    for (const code of letters[node] ?? []) {
      const child = next.get(step(node, code)) ?? 0;
      queue.push(child);
      if (node === 0) continue;
      let back = fail[node] ?? 0;
      while (back !== 0 && !next.has(step(back, code))) back = fail[back] ?? 0;
      fail[child] = next.get(step(back, code)) ?? 0;
      ends[child] ??= ends[fail[child] ?? 0] ?? null;
    }
  }
  return fail;
}

function found(
  text: string,
  next: ReadonlyMap<number, number>,
  ends: readonly (string | null)[],
  fail: Int32Array,
  starts: Uint8Array,
): ReturnType<ValueFinder["find"]> {
  const finds: { value: string; start: number; end: number }[] = [];
  let node = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (node === 0 && starts[code] === 0) continue;
    while (node !== 0 && !next.has(step(node, code))) node = fail[node] ?? 0;
    node = next.get(step(node, code)) ?? 0;
    const value = ends[node] ?? null;
    if (value === null) continue;
    const start = at + 1 - value.length;
    while ((finds.at(-1)?.start ?? -1) >= start) finds.pop(); // a longer value that holds the shorter one
    const last = finds.at(-1);
    if (last !== undefined && last.end > start) finds[finds.length - 1] = { ...last, end: at + 1 };
    else finds.push({ value, start, end: at + 1 });
  }
  return finds;
}
