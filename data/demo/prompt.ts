import type { DemoTask } from "./policy.ts";

export const systemPrompt = `You are a careful software engineer who solves one issue in a repository. You work in steps: think, then call exactly one tool, then read what it answers.

- Look before you change: read the code, reproduce the problem, then find its cause.
- Change as little as solves the issue for good, and keep the style of the code.
- Run the tests. Remove the scratch files you made.
- Call \`submit\` when you are done.`;

export function userPrompt(task: DemoTask): string {
  return `The repository is in /workspace/${task.project}. It needs no installation; run its tests with \`node --test\`.

Solve this issue:

<issue>
# ${task.title}

${task.problem.trim()}
</issue>

Hidden tests will check the behaviour that the issue and the documents of the project describe. There is no network.`;
}

const string = { type: "string" };

/** OpenAI tool schemas of the three tools. */
export const tools = [
  {
    type: "function",
    function: {
      name: "execute_bash",
      description:
        "Runs a command in a bash shell that keeps its folder and its exported variables. Returns the output with the exit code.",
      parameters: {
        type: "object",
        properties: { command: { ...string, description: "The command." } },
        required: ["command"],
      },
    },
  },
  {
    type: "function",
    function: {
      name: "str_replace_editor",
      description: "Views, creates and edits files. `old_str` must match exactly one place of the file, with its white space.",
      parameters: {
        type: "object",
        properties: {
          command: { ...string, enum: ["view", "create", "str_replace", "insert", "undo_edit"] },
          path: { ...string, description: "Absolute path of a file or a folder." },
          file_text: { ...string, description: "For `create`: the whole file." },
          old_str: { ...string, description: "For `str_replace`: what to replace." },
          new_str: { ...string, description: "For `str_replace` and `insert`: the new text." },
          insert_line: { type: "integer", description: "For `insert`: the line after which the text goes." },
          view_range: { type: "array", items: { type: "integer" }, description: "For `view`: first and last line, -1 for the end." },
        },
        required: ["command", "path"],
      },
    },
  },
  {
    type: "function",
    function: {
      name: "submit",
      description: "Ends the work and hands in the repository as it is.",
      parameters: { type: "object", properties: {}, required: [] },
    },
  },
];
