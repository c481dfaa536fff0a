import { Template } from "@huggingface/jinja";
import { describe, expect, test } from "vitest";
import { exportTrajectory } from "../../../../stages/export/export.ts";
import { gatedTemplate } from "../../../../stages/export/launchers/gated-template.ts";
import { chatText } from "../../../../stages/lib/chatml.ts";
import { paramsOf, ports, smallBundle, smallRecipe } from "../small-bundles.ts";
import { template } from "./plan.ts";

describe("the gated chat template", () => {
  const samples = async () => {
    const recipe = smallRecipe();
    return exportTrajectory(await smallBundle(recipe), paramsOf(recipe), ports).samples;
  };

  test("writes the same text as the model's own, which is the text that is exported", async () => {
    for (const { sample } of await samples()) {
      const text = new Template(gatedTemplate(template)).render({ messages: sample.turns });
      expect(text).toBe(new Template(template).render({ messages: sample.turns }));
      expect(text).toBe(chatText(sample.turns));
    }
  });

  test("marks exactly content and end of the turns that train", async () => {
    // The renderer ignores the tags: visible ones take their place, to see where they stand.
    const visible = gatedTemplate(template).replace("{% generation %}", "{{ '[[' }}").replace("{% endgeneration %}", "{{ ']]' }}");
    for (const { sample } of await samples()) {
      const expected = sample.turns.map((turn) =>
        turn.train ? `<|im_start|>assistant\n[[${turn.content}<|im_end|>]]\n` : `<|im_start|>${turn.role}\n${turn.content}<|im_end|>\n`,
      );
      expect(new Template(visible).render({ messages: sample.turns })).toBe(expected.join(""));
    }
  });

  test("still ends with the opening of a reply when asked for one", () => {
    const messages = [{ role: "user", content: "hi" }];
    expect(new Template(gatedTemplate(template)).render({ messages, add_generation_prompt: true })).toMatch(/<\|im_start\|>assistant\n$/);
  });

  test("is refused for a template of another make", () => {
    expect(() => gatedTemplate("{{ messages }}")).toThrow("found it 0 times");
  });
});
