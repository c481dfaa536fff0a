import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findSecrets, type SecretOptions } from "../../../../stages/lib/secrets/find-secrets.ts";
import { ownForms } from "../../../../stages/lib/secrets/own-values.ts";
import { placeholdersIn } from "../../../../stages/lib/secrets/placeholder.ts";
import { scrub } from "../../../../stages/lib/secrets/scrub.ts";
import { createScrubber } from "../../../../stages/lib/secrets/scrubber.ts";
import { type Planted, plantedSecrets } from "../../../fakes/planted-secrets.ts";

const options: SecretOptions = { secrets: true, personal: [], own: [] };
const everything: SecretOptions = { ...options, personal: ["commit-name", "mail", "phone", "ip", "home-path"] };
const one = (shape: string, seed = 1): Planted => {
  const found = plantedSecrets(seed).find((planted) => planted.shape === shape);
  if (found === undefined) throw new Error(`no shape ${shape}`);
  return found;
};
const lines = (text: string, map: (line: string, index: number) => string): string => text.split("\n").map(map).join("\n");

/** How a secret comes into a trajectory. */
const surroundings: Record<string, (line: string) => string> = {
  "a line of its own": (line) => `before\n${line}\nafter`,
  "the whole text": (line) => line,
  "an added line of a patch": (line) => `@@ -0,0 +1 @@\n${lines(line, (one) => `+${one}`)}\n`,
  "numbered lines": (line) => lines(line, (one, index) => `${String(index + 1).padStart(6)}\t${one}`),
  "raw JSON text": (line) => JSON.stringify({ command: `cat <<EOF\n${line}\nEOF`, other: 1 }),
  "JSON inside JSON": (line) => JSON.stringify(JSON.stringify({ note: `x\n${line}\ny` })),
  "a shell's quotes": (line) => `echo '${line}' >> notes`,
  "a coloured terminal": (line) => `\u001b[32m${line}\u001b[0m`,
};

describe.each(Object.entries(surroundings))("in %s", (_, around) => {
  test.each(plantedSecrets().map(({ shape }) => shape))("%s is found, whatever was drawn", (shape) => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const { secret, line } = one(shape, seed);
      const { text } = scrub(around(line), options);
      expect(text, `seed ${seed}`).not.toContain(secret);
      expect(placeholdersIn(text).length, `seed ${seed}`).toBeGreaterThan(0);
    }
  });
});

test("placeholders name the type and number the value: equal values stay equal, others do not", () => {
  const [a, b] = [one("github-token", 1).secret, one("github-token", 2).secret];
  expect(scrub(`${a} ${b} ${a}`, options)).toEqual({
    text: "[SECRET:github-token:1] [SECRET:github-token:2] [SECRET:github-token:1]",
    found: [{ type: "github-token", count: 3 }],
  });
});

test("a value that one text shows to be secret is replaced in all others, so that edits still match", () => {
  const { secret } = one("env-file");
  const scrubber = createScrubber(options);
  const file = scrubber.text(`export DB_PASSWORD=${secret}\n`);
  const edit = scrubber.text(`s/${secret}/other/`);
  expect(file).toBe("export DB_PASSWORD=[SECRET:password:1]\n");
  expect(edit).toBe("s/[SECRET:password:1]/other/");
});

test("numbers go on after placeholders that are there already, which stay as they are", () => {
  const scrubber = createScrubber(options);
  const text = `[SECRET:github-token:4] and ${one("github-token").secret}`;
  expect(scrubber.text(text)).toBe("[SECRET:github-token:4] and [SECRET:github-token:5]");
});

test("a token that was cut off in one text and goes on in the next is replaced in both", () => {
  const { secret } = one("github-token");
  const [head, tail] = [secret.slice(0, 17), secret.slice(17)];
  const scrubber = createScrubber(options);
  scrubber.learnSeam(`first bytes: ${head}`, `${tail}\nmore`);
  expect(scrubber.text(`first bytes: ${head}`)).not.toContain(head);
  expect(scrubber.text(`${tail}\nmore`)).not.toContain(tail);
});

test("raw JSON text stays JSON with the same shape, and untouched strings keep their spelling", () => {
  const { secret } = one("github-token");
  const raw = `{ "n": 1.50, "path":"\\u002fx", "old_str": "a\\n${secret}", "password": "${one("env-file").secret}" }`;
  const scrubbed = createScrubber(options).json(raw);
  expect(scrubbed).toBe('{ "n": 1.50, "path":"\\u002fx", "old_str": "a\\n[SECRET:github-token:1]", "password": "[SECRET:password:1]" }');
});

test("placeholders are put back for the sandbox, but never our own secrets", () => {
  const own = "my-own-secret-value-1";
  const scrubber = createScrubber({ ...options, own: ownForms([own]) });
  const { secret } = one("github-token");
  scrubber.text(`${secret} ${own}`);
  const call = '{"old_str": "x [SECRET:github-token:1] y", "other": "[SECRET:own-secret:1]"}';
  expect(JSON.parse(scrubber.restoreJson(call))).toEqual({ old_str: `x ${secret} y`, other: "[SECRET:own-secret:1]" });
});

test("a key in a patch is replaced line by line, so that the patch keeps its lines and their signs", () => {
  const patch = lines(one("private-key").line, (line) => `+${line}`);
  const { text } = scrub(patch, options);
  expect(text.split("\n").length).toBe(patch.split("\n").length);
  expect(text.split("\n").every((line) => line.startsWith("+"))).toBe(true);
});

describe("own secrets", () => {
  const value = 'p@ss "word"/+ü-Q9z';
  const bytes = Buffer.from(value);
  const forms: Record<string, string> = {
    plain: value,
    "JSON-escaped": JSON.stringify({ key: value }),
    "JSON in JSON": JSON.stringify(JSON.stringify({ key: value })),
    "URL-encoded": `?key=${encodeURIComponent(value)}&x`,
    "form-encoded": `key=${encodeURIComponent(value).replaceAll("%20", "+")}`,
    "small hex of an address": encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    hex: bytes.toString("hex"),
    HEX: bytes.toString("hex").toUpperCase(),
    ...Object.fromEntries([0, 1, 2].map((pad) => [`base64 at ${pad}`, Buffer.from(`${"x".repeat(pad)}${value}:tail`).toString("base64")])),
    ...Object.fromEntries(
      [0, 1, 2].map((pad) => [`base64url at ${pad}`, Buffer.from(`${"x".repeat(pad)}${value}:tail`).toString("base64url")]),
    ),
  };
  test.each(Object.entries(forms))("are found as %s", (_, text) => {
    const { found } = scrub(`log: ${text}.`, { secrets: false, personal: [], own: ownForms([value]) });
    expect(found).toEqual([{ type: "own-secret", count: 1 }]);
  });
  test("shorter than 8 characters are left alone", () => expect(ownForms(["1234567"])).toEqual([]));
});

test("code, prose and settings without a secret stay as they are", () => {
  for (const text of innocent) expect(scrub(text, options)).toEqual({ text, found: [] });
});

const innocent = [
  "token = get_token(request)",
  'password = os.environ["DB_PASSWORD"]',
  `DB_PASSWORD=\${DB_PASSWORD}`,
  "API_KEY=<your-api-key>",
  "secret: !vault |",
  'self.token = self.tokenizer.next_token("x")',
  "https://user:password@example.com/",
  "postgres://postgres:postgres@localhost:5432/app",
  "git clone https://github.com/acme/web.git",
  "Authorization: Bearer $TOKEN",
  "the bearer of this letter, basic understanding",
  'sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
  "commit 3f786850e387550fdab836ed7e6dc881de23001b",
  '"integrity": "sha512-Xr0+9oBf1kqkGf6nKg5q9D6r7XW8xGf5TzjYbFzJ8mGq1yPz3s0aWn5tQqvR2b1c4d5e6f7g8h9i0jKLMNOPQ=="',
  "sk-learn sk-estimator-html-doc-link task-sk-1",
  "def test_hf_transformers_model_loading_is_lazy():",
  "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
  "max_tokens=4096, token_count: 123456789012, next_token='eyJvZmZzZXQiOjEwfQ'",
  "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
];

describe("personal data, each kind by its own switch", () => {
  const text = "Author: Ada Tester <ada.tester@acme.io>\nfrom /home/ada/web and 81.2.69.142, +49 30 1234 5678\n";
  test.each([
    ["commit-name", "Author: [PERSONAL:commit-name:1] <ada.tester@acme.io>"],
    ["mail", "<[PERSONAL:mail:1]>"],
    ["home-path", "/home/[PERSONAL:home-path:1]/web"],
    ["ip", "and [PERSONAL:ip:1],"],
    ["phone", ", [PERSONAL:phone:1]\n"],
  ] as const)("%s", (kind, expected) => {
    expect(scrub(text, { ...options, personal: [kind] }).text).toContain(expected);
    expect(scrub(text, { ...options, personal: [kind] }).found).toEqual([{ type: kind, count: 1 }]);
  });
  test("off by default, and nobody's addresses are no personal data", () => {
    expect(scrub(text, options).found).toEqual([]);
    const nobody = "git@github.com:a/b.git, you@example.com, 127.0.0.1, 10.0.0.7, version 1.2.3.4, /home/user/x, 12-@pytest.mark.skipif\n";
    expect(scrub(nobody, everything).found).toEqual([]);
  });
});

describe("over texts of planted lines, glue and keywords", () => {
  const glue = fc.constantFrom(
    "",
    " ",
    "\n",
    "=",
    ":",
    '"',
    "'",
    "\\",
    "\\n",
    "@",
    "://",
    "a",
    "9",
    "_",
    "-",
    ".",
    "/",
    "+",
    ",",
    "token",
    "password=",
    "Bearer ",
    "[SECRET:jwt:1]",
    "eyJ",
    "-----BEGIN ",
    "ü",
    "🙂",
  );
  const secret = fc.tuple(fc.integer({ min: 1, max: 50 }), fc.nat(19)).map(([seed, index]) => plantedSecrets(seed)[index]);
  const bit = fc.oneof(
    glue,
    secret.map((planted) => planted?.line ?? ""),
    secret.map((planted) => planted?.secret ?? ""),
    fc.string({ maxLength: 12 }),
  );
  const texts = fc.array(bit, { maxLength: 12 }).map((bits) => bits.join(""));

  test("scrubbing twice changes nothing", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const first = scrub(text, everything).text;
        expect(scrub(first, everything).text).toBe(first);
      }),
      { numRuns: 3_000, seed: 6 },
    );
  });

  test("JSON stays JSON, with everything outside of strings as it was", () => {
    const bare = (json: string): string => json.replace(/"(?:[^"\\]|\\.)*"/g, '""');
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), texts, fc.string(), (json, text, key) => {
        const raw = `{${JSON.stringify(key)}: ${JSON.stringify(text)}, "password": ${JSON.stringify(text)}, "x": ${json}}`;
        const scrubbed = createScrubber(everything).json(raw);
        expect(() => JSON.parse(scrubbed)).not.toThrow();
        expect(bare(scrubbed)).toBe(bare(raw));
      }),
      { numRuns: 1_000, seed: 6 },
    );
  });

  test("findings are in order, apart, and inside the text", () => {
    fc.assert(
      fc.property(texts, (text) => {
        let at = 0;
        for (const { start, end } of findSecrets(text, everything)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(at).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 2_000, seed: 6 },
    );
  });
});
