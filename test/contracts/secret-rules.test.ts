import { describe, expect, test } from "vitest";
import { PersonalKind } from "../../schemas/recipe/generate.ts";
import { personalRules } from "../../stages/lib/secrets/personal/index.ts";
import { placeholderOf } from "../../stages/lib/secrets/placeholder.ts";
import { secretRules } from "../../stages/lib/secrets/rules/index.ts";
import { createRuleScan } from "../../stages/lib/secrets/rules/scan.ts";
import type { SecretRule } from "../../stages/lib/secrets/rules/secret-rule.ts";
import { plantedSecrets } from "../fakes/planted-secrets.ts";

/** What every rule owes: a name, keywords the finder can use, ranges inside the text, no finding in a placeholder, and linear time on any input. */

const rules: [string, SecretRule][] = Object.entries(secretRules);
const scans: [string, (text: string) => readonly { readonly start: number; readonly end: number }[]][] = [
  ...rules.map(([name, rule]): [string, (text: string) => { start: number; end: number }[]] => [name, createRuleScan({ [name]: rule })]),
  ...Object.entries(personalRules).map(([name, rule]): [string, (text: string) => { start: number; end: number }[]] => [
    name,
    (text) => rule.find(text),
  ]),
];
const planted = [1, 2, 3].flatMap((seed) => plantedSecrets(seed));
const people =
  "Author: Ada Tester <ada.tester@acme.io>\n1a2b3c4d5e (Ada Tester 2020-01-02 03:04:05 +0000 7) x = 1\ncall +49 30 1234 5678 from /home/ada/web at 8.8.8.8 and 2a00:1450:4001:0829:0000:0000:0000:200e\n";

test("recipe and registry name the same kinds of personal data", () => {
  expect(Object.keys(personalRules).sort()).toEqual([...PersonalKind.options].sort());
});

describe.each(rules)("secret rule %s", (name, rule) => {
  test("has a kebab-case name and keywords of three characters and more", () => {
    expect(name).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(rule.keywords.length).toBeGreaterThan(0);
    for (const keyword of rule.keywords) expect(keyword).toMatch(/^[\x20-\x7e]{3,}$/);
  });

  test("finds one of the planted secrets", () => {
    const machine = "machine host.acme.io login deploy password gX7#kkq2\n";
    expect([machine, ...planted.map(({ line }) => line)].some((line) => createRuleScan({ [name]: rule })(line).length > 0)).toBe(true);
  });

  test("types are kebab-case, so that they fit into placeholders", () => {
    for (const { line } of planted)
      for (const { type } of createRuleScan({ [name]: rule })(line))
        expect(placeholderOf("SECRET", type, 1)).toMatch(/^\[SECRET:[a-z][a-z0-9-]{0,40}:1\]$/);
  });
});

describe.each(scans)("rule %s", (name, scan) => {
  test("gives ranges inside the text, in order, none of them empty", () => {
    for (const text of [...planted.map(({ line }) => `${line}\n${people}`), people.repeat(3)]) {
      let at = name === "commit-name" || name === "ip" ? Number.NEGATIVE_INFINITY : 0; // two patterns, each in order
      for (const { start, end } of scan(text)) {
        expect(start).toBeGreaterThanOrEqual(at);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
        if (at >= 0) at = end;
      }
    }
  });

  test("takes linear time on hostile strings", { timeout: 600_000 }, () => {
    const rule = rules.find(([other]) => other === name)?.[1];
    for (const unit of hostileUnits(rule))
      expect(growth(scan, unit), `${name} on ${JSON.stringify(unit.slice(0, 60))} repeated`).toBeLessThan(9);
  });
});

/** Beginnings without ends, ends without beginnings, runs that belong to every class, in units that are repeated. */
function hostileUnits(rule: SecretRule | undefined): string[] {
  const own = rule?.keywords ?? [];
  // A sample of the many keywords of one rule, evenly; the others have the same shape.
  const some = own.filter((_, index) => index % Math.max(1, Math.floor(own.length / 12)) === 0);
  const general = [
    "a",
    "A1",
    "=",
    "-----BEGIN RSA PRIVATE KEY-----",
    "://a:",
    "eyJ",
    "token=",
    "password: '",
    "a@",
    "a.",
    "1.",
    "+1 2 ",
    "0:",
    "/home/",
    "Author: ",
  ];
  const withTails = some.flatMap((keyword) => [keyword, `${keyword}A1`, `${keyword} = "`, ` ${keyword}${"aA1".repeat(60)}`]);
  return [
    ...withTails,
    ...(rule === undefined ? general : general.slice(0, 8)),
    "1a2b3c4d (".padEnd(60, "a "),
    "1a2b3c4 ".padEnd(70, "("),
    `${"a".repeat(64)}\n`,
  ];
}

/** CPU time of four times the text over that of the text, at best of some tries: quadratic work gives 16, linear 4; too fast to tell gives 0. */
function growth(scan: (text: string) => unknown, unit: string): number {
  const small = unit.repeat(Math.ceil(32_768 / unit.length));
  const large = small.repeat(4);
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 6 && best >= 6; attempt += 1) {
    const after = cpuMs(() => scan(large));
    if (after < 8) return 0;
    best = Math.min(
      best,
      after /
        Math.max(
          cpuMs(() => scan(small)),
          0.5,
        ),
    );
  }
  return best;
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
