import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Trajectory } from "../../../schemas/trajectory.ts";
import { importRecord } from "../../../stages/generate/import-record.ts";
import type { SecretOptions } from "../../../stages/lib/secrets/find-secrets.ts";
import { messageRun } from "../../fakes/message-runs.ts";
import { plantedSecrets } from "../../fakes/planted-secrets.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const scrubbing: SecretOptions = { secrets: true, personal: [], own: [] };

function imported(run: Record<string, unknown>, scrub: SecretOptions | null): Trajectory {
  const origin = { file: "a.jsonl", record: 0, digest: digest("a"), source: null, licence: null, instance: null, marks: [] };
  const read = importRecord(run, origin, digest, scrub);
  if (!read.ok) throw new Error(read.why);
  return read.trajectory;
}

const secret = plantedSecrets().find(({ shape }) => shape === "env-file")?.secret ?? "";
const withSettings = (): Record<string, unknown> => {
  const message = (index: number, name: string, args: Record<string, unknown>, result: string) => [
    {
      role: "assistant",
      content: "Next.",
      tool_calls: [{ id: `c${index}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
    },
    { role: "tool", tool_call_id: `c${index}`, content: result },
  ];
  return {
    instance_id: "acme__web-1",
    resolved: true,
    messages: [
      { role: "system", content: "You fix bugs." },
      { role: "user", content: "Mend it." },
      // The edit comes first in the file, but what it holds is known for a secret only from the later text.
      ...message(1, "str_replace_editor", { command: "str_replace", path: "/w/.env", old_str: secret, new_str: "other" }, "edited"),
      ...message(2, "execute_bash", { command: "cat /w/.env.bak" }, `export DB_PASSWORD=${secret}\n`),
      { role: "assistant", content: "Done.", tool_calls: [{ id: "c3", type: "function", function: { name: "submit", arguments: "{}" } }] },
    ],
  };
};

test("one value has one placeholder in all of a trajectory, also before it was known to be a secret", () => {
  const { steps, marks } = imported(withSettings(), scrubbing);
  expect(JSON.parse(steps[0]?.calls[0]?.arguments ?? "")).toMatchObject({ old_str: "[SECRET:password:1]", new_str: "other" });
  expect(steps[1]?.calls[0]?.result).toBe("export DB_PASSWORD=[SECRET:password:1]\n");
  expect(marks).toContain("scrubbed");
});

test("what is scrubbed renames nothing, and a run without secrets is the very same run", () => {
  const [raw, clean] = [imported(withSettings(), null), imported(withSettings(), scrubbing)];
  expect(clean.id).toBe(raw.id);
  expect(raw.marks).not.toContain("scrubbed");
  const innocent = messageRun({ instance: "acme__web-2" });
  expect(imported(innocent, { ...scrubbing, personal: ["commit-name", "mail", "phone", "ip", "home-path"] })).toEqual(
    imported(innocent, null),
  );
});

test("patches, tools, prompts, reasons and unparsable arguments are scrubbed, too", () => {
  const { secret: token, line } = plantedSecrets().find(({ shape }) => shape === "github-fine-grained") ?? { secret: "?", line: "?" };
  const run = withSettings();
  const messages = run["messages"] as Record<string, unknown>[];
  Object.assign(messages[1] ?? {}, { content: `Mend it. ${line}` });
  Object.assign(messages[2] ?? {}, {
    tool_calls: [{ id: "c1", type: "function", function: { name: "execute_bash", arguments: `{"command": "${token}` } }],
  });
  Object.assign(run, {
    patch: `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+${line}\n`,
    tools: [{ type: "function", function: { name: "t", description: line } }],
  });
  const stored = JSON.stringify(imported(run, scrubbing));
  expect(JSON.stringify(imported(run, null))).toContain(token);
  expect(stored).not.toContain(token);
});
