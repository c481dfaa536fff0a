import { expect, test } from "vitest";
import { checkEndpoint, endpointFrom, hasEndpoint, normaliseBaseUrl } from "../../../pipeline/llm/endpoint.ts";
import { LlmRecipe } from "../../../schemas/recipe/llm.ts";
import { faultOf, settingsFor } from "./harness.ts";

const env = { CATGEN_BASE_URL: "http://host:8000/v1", CATGEN_MODEL: "from-env", CATGEN_API_KEY: " sk-from-env\n", OTHER_KEY: "sk-other" };
const checked = async (settings: Parameters<typeof checkEndpoint>[0]): Promise<void> => checkEndpoint(settings);

test("the environment fills what the recipe leaves null", () => {
  expect(endpointFrom(LlmRecipe.parse({}), env)).toMatchObject({
    baseUrl: "http://host:8000/v1",
    model: "from-env",
    apiKey: "sk-from-env",
  });
});

test("the recipe wins over the environment, and names the variable of the key", () => {
  const recipe = LlmRecipe.parse({ baseUrl: "https://api/v1", model: "mine", apiKeyVariable: "OTHER_KEY", budget: { tokens: 5 } });
  const settings = endpointFrom(recipe, env);
  expect(settings).toMatchObject({ baseUrl: "https://api/v1", model: "mine", apiKey: "sk-other" });
  expect(settings.budget).toEqual({ tokens: 5, money: null, currency: "USD" });
});

test("with neither there is no endpoint, and no key", () => {
  const settings = endpointFrom(LlmRecipe.parse({}), { CATGEN_BASE_URL: " " });
  expect(hasEndpoint(settings)).toBe(false);
  expect(settings.apiKey).toBeNull();
});

test("every setting of the recipe says what it is and has a default", () => {
  const entries = Object.entries(LlmRecipe.shape);
  expect(entries.length).toBeGreaterThan(10);
  for (const [name, field] of entries) expect([name, field.description]).toEqual([name, expect.stringMatching(/;/)]);
  expect(LlmRecipe.safeParse({}).success).toBe(true);
});

test.each([
  ["a key in place of a variable's name", { apiKeyVariable: "sk-abc" }],
  ["an unknown setting", { retries: 3 }],
  ["messages in extraBody", { extraBody: { messages: [] } }],
  ["a reply limit in extraBody", { extraBody: { max_tokens: 5 } }],
  ["no attempt at all", { maxAttempts: 0 }],
])("%s is refused", (_what, recipe) => {
  expect(LlmRecipe.safeParse(recipe).success).toBe(false);
});

test.each(["host:8000", "ftp://host/v1", "https://me:secret@host/v1", "https://host/v1?token=secret", "nonsense"])(
  "the base URL %s is refused without repeating it",
  async (baseUrl) => {
    const fault = await faultOf(checked(settingsFor(baseUrl)));
    expect(fault.code).toBe("ENDPOINT_MISSING");
    expect(fault.message).not.toContain("secret");
  },
);

test("a key that no header may carry is refused without repeating it", async () => {
  const fault = await faultOf(checked(settingsFor("http://host/v1", { apiKey: "sk-\u{1f511}" })));
  expect(fault.code).toBe("ENDPOINT_AUTH");
  expect(fault.message).not.toContain("sk-");
});

test("spellings of one endpoint are one endpoint", () => {
  const spellings = ["https://Host/v1", "https://host:443/v1/", "https://host/v1/chat/completions", " https://host/v1//"];
  expect(new Set(spellings.map(normaliseBaseUrl))).toEqual(new Set(["https://host/v1"]));
});
