/** What the plots share. Text of data goes through `escaped`; numbers are rounded, so that equal data are equal bytes. */

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character] ?? character);

export const at = (value: number): string => (Math.round(value * 10) / 10).toString();

export const label = (x: number, y: number, words: string, more = ""): string =>
  `<text x="${at(x)}" y="${at(y)}"${more === "" ? "" : ` ${more}`}>${escaped(words)}</text>`;

export const drawing = (width: number, height: number, title: string, body: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${at(width)} ${at(height)}" font-family="ui-sans-serif, system-ui, sans-serif" font-size="12" fill="#444444" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${at(width)}" height="${at(height)}" fill="#ffffff"/>`,
    ...body,
    "</svg>\n",
  ].join("\n");

/** A number in at most four characters, as axes have room for. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 999_500) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 10_000) return `${Math.round(value / 1e3)}k`;
  if (size >= 1_000) return `${Number((value / 1e3).toPrecision(2))}k`;
  return String(Number(value.toPrecision(3)));
}
