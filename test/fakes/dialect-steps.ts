import type { Step } from "../../schemas/trajectory.ts";

/** The same deed as agents of several products do it; `more` goes into the call. */
const stepOf = (name: string, args: Record<string, unknown>, result: string, more: { exitCode?: number } = {}): Step => ({
  thought: "",
  reasoning: null,
  calls: [{ id: null, name, arguments: JSON.stringify(args), result, exitCode: more.exitCode ?? null, failed: null }],
  feedback: [],
});

/** An agent: how it looks at a file, changes it, and runs a command. */
export interface Agent {
  readonly look: (path: string) => Step;
  readonly change: (path: string) => Step;
  readonly run: (command: string, result: string, exitCode?: number) => Step;
}

const shell =
  (name: string, wrap: (result: string, code: number) => string = (result) => result): Agent["run"] =>
  (command, result, exitCode = 0) =>
    stepOf(name, { command }, wrap(result, exitCode));

/** Agents by product: editors, shells and ways to state an exit code differ, what they do is the same. */
export const agents: Readonly<Record<string, Agent>> = {
  "SWE-agent 1": {
    look: (path) => stepOf("str_replace_editor", { command: "view", path }, "     1\tx = 1"),
    change: (path) =>
      stepOf("str_replace_editor", { command: "str_replace", path, old_str: "x", new_str: "y" }, `The file ${path} has been edited.`),
    run: shell("bash"),
  },
  "SWE-agent 0": {
    look: (path) => stepOf("open", { command: `open ${path}` }, `[File: ${path} (9 lines total)]\n1:x`),
    change: (path) =>
      stepOf(
        "edit",
        { command: "edit 1:1\ny\nend_of_edit" },
        `[File: ${path} (9 lines total)]\n1:y\n(Open file: ${path})\n(Current directory: /repo)\nbash-$`,
      ),
    run: shell("bash"),
  },
  "mini-swe-agent": {
    look: (path) =>
      stepOf("bash", { command: `cd /repo && nl -ba ${path} | sed -n '1,40p'` }, "<returncode>0</returncode>\n<output>\nx = 1\n</output>"),
    change: (path) => stepOf("bash", { command: `cd /repo && sed -i 's/x/y/' ${path}` }, "<returncode>0</returncode>\n<output>\n</output>"),
    run: shell("bash", (result, code) => `<returncode>${code}</returncode>\n<output>\n${result}\n</output>`),
  },
  "mini-swe-agent, by script": {
    look: (path) => stepOf("bash", { command: `cat ${path}` }, "<returncode>0</returncode>\n<output>\nx = 1\n</output>"),
    change: (path) =>
      stepOf(
        "bash",
        {
          command: `cat > fix.py <<'EOF'\np = '${path}'\ntext = open(p).read()\nopen(p, 'w').write(text.replace('x', 'y'))\nEOF\npython fix.py`,
        },
        "<returncode>0</returncode>\n<output>\n</output>",
      ),
    run: shell("bash", (result, code) => `<returncode>${code}</returncode>\n<output>\n${result}\n</output>`),
  },
  OpenHands: {
    look: (path) => stepOf("file_editor", { command: "view", path }, "     1\tx = 1"),
    change: (path) =>
      stepOf("file_editor", { command: "str_replace", path, old_str: "x", new_str: "y" }, `The file ${path} has been edited.`),
    run: shell("terminal", (result, code) => `${result}\n[The command completed with exit code ${code}.]`),
  },
  "Claude Code": {
    look: (path) => stepOf("Read", { file_path: path }, "     1\tx = 1"),
    change: (path) => stepOf("Edit", { file_path: path, old_string: "x", new_string: "y" }, `The file ${path} has been updated.`),
    run: shell("Bash", (result, code) => (code === 0 ? result : `Exit code ${code}\n${result}`)),
  },
  Codex: {
    look: (path) => stepOf("shell", { command: ["bash", "-lc", `sed -n '1,40p' ${path}`] }, "x = 1"),
    change: (path) => stepOf("apply_patch", { input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-x\n+y\n*** End Patch` }, "Done!"),
    run: (command, result, code = 0) =>
      stepOf("shell", { command: ["bash", "-lc", command] }, `Exit code: ${code}\nWall time: 1 seconds\nOutput:\n${result}`),
  },
  "Gemini CLI": {
    look: (path) => stepOf("read_file", { absolute_path: path }, "x = 1"),
    change: (path) => stepOf("replace", { file_path: path, old_string: "x", new_string: "y" }, `Successfully modified file: ${path}`),
    run: shell("run_shell_command"),
  },
};
