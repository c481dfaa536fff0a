import fc from "fast-check";
import { expect, test } from "vitest";
import { chatText, footer, header } from "../../../stages/lib/chatml.ts";
import { headTurns } from "../../../stages/lib/render.ts";
import { conversationTokens, countOnce, messageTokens, openingTokens, replyTokens, spanTokens } from "../../../stages/lib/sizes.ts";
import { arbitraryText } from "../../fakes/arbitrary-trajectory.ts";
import { exactTokens } from "../../fakes/fake-ports.ts";
import { arbitraryPlacement } from "../../invariants/placement.ts";

test("sizes of head and spans are those of their turns' whole text", () => {
  fc.assert(
    fc.property(arbitraryPlacement({ longText: 200 }), fc.nat(), fc.nat(), ({ rendered, sizes }, one, two) => {
      const count = rendered.steps.length;
      const [start, end] = [one % (count + 1), two % (count + 1)].sort((a, b) => a - b) as [number, number];
      const text = rendered.steps
        .slice(start, end)
        .flatMap(({ assistant, user }) => [
          { role: "assistant" as const, content: assistant },
          ...(user === null ? [] : [{ role: "user" as const, content: user }]),
        ])
        .map(({ role, content }) => `${header(role)}${content}${footer}\n`)
        .join("");
      expect(spanTokens(sizes, start, end)).toBe(exactTokens(text));
      expect(sizes.head).toBe(exactTokens(chatText(headTurns(rendered))));
      expect(sizes.upTo).toHaveLength(count + 1);
      expect(sizes.opening).toBe(exactTokens(header("assistant")));
      expect(sizes.user.map((tokens) => tokens === 0)).toEqual(rendered.steps.map((step) => step.user === null));
    }),
    { seed: 71, numRuns: 150 },
  );
});

test("a reply is its content and the token that ends it, without header and closing newline", () => {
  fc.assert(
    fc.property(arbitraryText(), (text) => {
      const content = `x${text}`;
      expect(replyTokens(messageTokens({ role: "assistant", content }, exactTokens), exactTokens)).toBe(exactTokens(content + footer));
    }),
    { seed: 72 },
  );
  expect(replyTokens(messageTokens({ role: "assistant", content: "" }, exactTokens), exactTokens)).toBe(1);
});

test("a conversation without system prompt is counted with the template's default one", () => {
  const user = { role: "user", content: "hi", train: false, step: -1 } as const;
  const system = {
    role: "system",
    content: "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
    train: false,
    step: -1,
  } as const;
  expect(conversationTokens([user], exactTokens)).toBe(conversationTokens([system, user], exactTokens));
  expect(conversationTokens([user], exactTokens)).toBe(exactTokens(chatText([user])));
  expect(openingTokens(exactTokens)).toBe(3);
});

test("a text is counted once, however often its tokens are asked for, and 0 tokens are an answer, too", () => {
  const asked: string[] = [];
  const count = countOnce((text) => {
    asked.push(text);
    return text.length;
  });
  expect(["abc", "", "ab", "abc", ""].map(count)).toEqual([3, 0, 2, 3, 0]);
  expect(asked).toEqual(["abc", "", "ab"]);
});
