/** Digits in groups of three, as the paper writes numbers; at most `digits` decimals. */
export function grouped(value: number, digits = 0): string {
  const [whole = "", decimals = ""] = value.toFixed(digits).split(".");
  const trimmed = decimals.replace(/0+$/, "");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (trimmed === "" ? "" : `.${trimmed}`);
}
