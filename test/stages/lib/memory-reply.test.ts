import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMemory } from "../../../stages/lib/memory-reply.ts";
import { emptyNotes, renderMemory } from "../../../stages/lib/memory-text.ts";
import { arbitraryNotes } from "../../fakes/arbitrary-notes.ts";
import { arbitraryText } from "../../fakes/arbitrary-trajectory.ts";
import { memoryText } from "../../invariants/placement.ts";

const notes = {
  ...emptyNotes(),
  task: ["Fix `run`"],
  completed: ["Reproduced it"],
  attempts: [
    { outcome: "failed" as const, text: "`pytest` twice: E" },
    { outcome: "ran" as const, text: "`ls`" },
  ],
  facts: ["a", "b"],
};
const good = renderMemory(notes);
const mended = (reply: string): readonly string[] => {
  const read = readMemory(reply);
  if (!read.ok) throw new Error(`${read.why}: ${read.detail}`);
  expect(read.notes).toEqual(notes);
  return read.repairs;
};

/** Notes without words for nothing, and without control characters, which JSON writes as escapes. */
const plainNotes = arbitraryNotes().filter((own) =>
  Object.values(own)
    .flat()
    .map((one) => (typeof one === "string" ? one : one.text))
    .every((text) => text === text.replace(/[\s\p{Cc}]+/gu, " ") && !/^(?:none noted\.?|[-—])$/i.test(text)),
);

test("a memory as it should be is read as it is, whatever it says", () => {
  fc.assert(
    fc.property(plainNotes, (own) => {
      expect(readMemory(renderMemory(own))).toEqual({ ok: true, notes: own, repairs: [] });
    }),
    { seed: 511, numRuns: 500 },
  );
});

test("a memory as a JSON object gives the same notes as its text", () => {
  fc.assert(
    fc.property(plainNotes, (own) => {
      expect(readMemory(JSON.stringify(own))).toEqual({ ok: true, notes: own, repairs: [] });
    }),
    { seed: 512, numRuns: 500 },
  );
});

describe("mended by rule, without a word lost, and said so:", () => {
  test.each<[string, string, string[]]>([
    ["reasoning in the text", `<think>## Task\nhm</think>\n${good}`, ["reasoning"]],
    ["reasoning whose beginning the server swallowed", `so it is\n</think>\n${good}`, ["reasoning"]],
    ["a fence around it", `\`\`\`md\n${good}\n\`\`\``, ["fence"]],
    ["a fence around it after words", `Here:\n\n\`\`\`\n${good}\n\`\`\``, ["fence", "preamble"]],
    ["words before it", `Here it is.\n\n${good}`, ["preamble"]],
    ["another heading level", good.replaceAll("## ", "# "), ["heading"]],
    ["bold words as headings", good.replace(/^## (.*)$/gm, "**$1**"), ["heading"]],
    ["bold words with a colon inside", good.replace(/^## (.*)$/gm, "**$1:**"), ["heading"]],
    ["numbered headings", good.replace("## Task", "## 1. Task").replace("## Completed", "## 2. COMPLETED"), ["heading"]],
    ["an ampersand", good.replace("## Facts and constraints", "## Facts & Constraints:"), ["heading"]],
    ["an empty section left out", good.replace("## Changes\n- none noted\n\n", ""), ["section-added"]],
    ["sections in another order", good.replace("## Task\n- Fix `run`\n\n", "").concat("\n\n## Task\n- Fix `run`"), ["section-order"]],
    ["stars as bullets", good.replaceAll("- a", "* a"), ["bullet"]],
    ["numbers as bullets", good.replace("- a\n- b", "1. a\n2) b"), ["bullet"]],
    ["a nested bullet", good.replace("- a\n- b", "- a\n  - b"), ["bullet"]],
    ["a line without a mark", good.replace("- a\n- b", "a\n\nb"), ["bullet"]],
    ["a bullet over two lines", good.replace("- Reproduced it", "- Reproduced\n  it"), ["one-line"]],
    ["blanks at the end of lines", good.replace("- a\n", "- a  \n"), ["one-line"]],
    ["other words for nothing", good.replace("## Changes\n- none noted", "## Changes\n- (none)"), ["nothing-noted"]],
    ["nothing where nothing is noted", good.replace("## Changes\n- none noted", "## Changes"), ["nothing-noted"]],
    ["another word for an outcome", good.replace("- failed: `pytest`", "- **Failed**: `pytest`"), ["outcome"]],
    ["an outcome after a dash", good.replace("- failed: `pytest`", "- Failure — `pytest`"), ["outcome"]],
    ["no outcome", good.replace("- ran: `ls`", "- `ls`"), ["outcome"]],
    ["a rule between sections", good.replace("## Changes", "---\n\n## Changes"), ["bullet"]],
    ["Windows line ends", good.replaceAll("\n", "\r\n"), []],
    ["blank lines everywhere", good.replaceAll("\n", "\n\n"), []],
    ["JSON in a fence", `\`\`\`json\n${JSON.stringify(notes)}\n\`\`\``, ["fence"]],
    ["JSON with titles as keys", JSON.stringify({ ...notes, facts: undefined, "Facts and constraints": notes.facts }), ["heading"]],
    ["JSON without an empty list", JSON.stringify({ ...notes, changes: undefined }), ["section-added"]],
    ["JSON with null for nothing", JSON.stringify({ ...notes, changes: null }), []],
    ["JSON with attempts as texts", JSON.stringify({ ...notes, attempts: ["failed: `pytest` twice: E", "`ls`"] }), ["outcome"]],
  ])("%s", (_, reply, repairs) => {
    expect(mended(reply)).toEqual(repairs);
  });
});

describe("what would need a guess is refused:", () => {
  test.each([
    ["nothing", "  ", "memory-empty"],
    ["only reasoning", "<think>hm</think>", "memory-empty"],
    ["chatter", "I would rather chat.", "memory-sections-missing"],
    ["half a memory", good.split("\n\n").slice(0, 3).join("\n\n"), "memory-sections-missing"],
    ["a section twice", `${good}\n\n## Task\n- again`, "memory-sections-disordered"],
    ["a section of its own", `${good}\n\n## Remarks\n- again`, "memory-section-unknown"],
    ["broken JSON", JSON.stringify(notes).slice(0, -1), "memory-json-malformed"],
    ["JSON with a number for a section", JSON.stringify({ ...notes, facts: 3 }), "memory-json-malformed"],
    ["JSON with a list of numbers", JSON.stringify({ ...notes, facts: [3] }), "memory-json-malformed"],
    ["JSON with a section of its own", JSON.stringify({ ...notes, remarks: [] }), "memory-section-unknown"],
    ["JSON of something else", '{"answer": 42}', "memory-section-unknown"],
  ])("%s", (_, reply, why) => {
    expect(readMemory(reply)).toMatchObject({ ok: false, why, detail: expect.stringContaining("expected") });
  });
});

test("whatever a model writes, it is read or refused, and what is read can be stored", () => {
  fc.assert(
    fc.property(arbitraryText(300), fc.nat(300), (noise, at) => {
      for (const reply of [noise, good.slice(0, at) + noise + good.slice(at), memoryText(noise)]) {
        const read = readMemory(reply);
        if (read.ok) expect(readMemory(renderMemory(read.notes))).toEqual({ ok: true, notes: read.notes, repairs: [] });
      }
    }),
    { seed: 513, numRuns: 1_000 },
  );
});

test.each(["- ", "## ", "\n", "**", "1. ", " ", "```\n", "## Task\n", "<think>", "a:", "{", "# a ", "- a\n b\n"])(
  "hostile repetition of %j takes linear time",
  (piece) => {
    const long = piece.repeat(100_000);
    const start = performance.now();
    readMemory(long);
    readMemory(`${good}\n${long}`);
    readMemory(`${long}\n${good}`);
    expect(performance.now() - start).toBeLessThan(4_000);
  },
);
