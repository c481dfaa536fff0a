/** A copy with room for `needed` entries, at least twice the room. */
export function grown<A extends Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array>(array: A, needed: number): A {
  const larger = new (array.constructor as new (length: number) => A)(Math.max(needed, 2 * array.length));
  larger.set(array);
  return larger;
}
