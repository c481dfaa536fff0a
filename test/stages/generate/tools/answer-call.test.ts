import { expect, test } from "vitest";
import { answerCall } from "../../../../stages/generate/tools/answer-call.ts";
import { agentTools } from "../../../../stages/generate/tools/index.ts";
import { openToolState } from "../../../../stages/generate/tools/state.ts";
import { memorySandbox } from "./memory-sandbox.ts";

const offered = [...agentTools.keys(), "context"];

function answered(name: string, args: string) {
  const sandbox = memorySandbox({ "/a": "x\n" }, () => ({ output: "out" }));
  const limits = { commandTimeoutMs: 1_000, observationChars: 1_000, fileBytes: 1_000 };
  return answerCall({ name, arguments: args }, offered, { sandbox, state: openToolState(), limits }).then((answer) => ({
    ...answer,
    touched: sandbox.ran.length,
  }));
}

test("each tool answers under the name that the model calls", async () => {
  expect(await answered("execute_bash", '{"command": "ls"}')).toMatchObject({ malformed: false, exitCode: 0, ends: false, touched: 1 });
  expect(await answered("str_replace_editor", '{"command": "view", "path": "/a"}')).toMatchObject({ malformed: false, failed: false });
});

test("only submit ends the run", async () => {
  expect(await answered("submit", "{}")).toEqual({
    malformed: false,
    text: "Submitted.",
    failed: false,
    exitCode: null,
    ends: true,
    touched: 0,
  });
});

test.each([
  ["bash", '{"command": "ls"}', 'ERROR:\nThere is no tool "bash". Expected one of execute_bash, str_replace_editor, submit, context.'],
  ["toString", "{}", 'ERROR:\nThere is no tool "toString". Expected one of execute_bash, str_replace_editor, submit, context.'],
  ["execute_bash", "{", 'ERROR:\nExpected the arguments of execute_bash as a JSON object, got "{", which is no JSON.'],
  ["submit", '{"a": 1}', 'ERROR:\nsubmit cannot be called like this: there is no argument "a", expected none.'],
])("%s %s is malformed: nothing runs, nothing ends, and the agent is told what to write", async (name, args, text) => {
  expect(await answered(name, args)).toEqual({ malformed: true, text, failed: true, exitCode: null, ends: false, touched: 0 });
});
