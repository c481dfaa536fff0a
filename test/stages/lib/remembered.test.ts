import { expect, test } from "vitest";
import { remembered } from "../../../stages/lib/remembered.ts";

test("a text that was seen a moment ago is not looked at again, and one of thousands ago is, with the same result", () => {
  const asked: string[] = [];
  const lengthOf = remembered((text) => {
    asked.push(text);
    return text.length === 1 ? null : text.length;
  });
  for (const text of ["abc", "a", "abc", "a"]) expect(lengthOf(text)).toBe(text === "a" ? null : 3);
  expect(asked).toEqual(["abc", "a"]);
  for (let index = 0; index < 5_000; index += 1) lengthOf(`text ${index}`);
  expect(lengthOf("abc")).toBe(3);
  expect(asked.filter((text) => text === "abc")).toHaveLength(2);
});

test("a text of megabytes is not kept, and looked at each time", () => {
  let looks = 0;
  const lengthOf = remembered(({ length }) => {
    looks += 1;
    return length;
  });
  const long = "x".repeat(1_000_000);
  for (let time = 0; time < 2; time += 1) expect(lengthOf(long)).toBe(1_000_000);
  expect(looks).toBe(2);
});
