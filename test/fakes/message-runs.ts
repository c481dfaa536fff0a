/** Made-up runs in the plain OpenAI messages format: enough text that folds are worth a call, milestones and failures in them. */

export interface FakeRun {
  readonly instance: string;
  readonly steps?: number;
  readonly resolved?: boolean | null;
  readonly repo?: string;
  /** Put into the result of step 3. */
  readonly planted?: string;
  /** Of each listing that a step reads. */
  readonly lines?: number;
}

const call = (index: number, name: string, args: Record<string, unknown>) => ({
  id: `call_${index}`,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

function turn(index: number, run: FakeRun) {
  if (index % 9 === 4)
    return {
      thought: `The check fails again in module_${index}.`,
      name: "execute_bash",
      args: { command: "pytest -q tests/test_core.py" },
      result: `E   ValueError: bad state in module_3\n1 failed, ${index} passed in 0.2s\n[The command completed with exit code 1.]`,
    };
  if (index % 9 === 8)
    return {
      thought: "All green now; this part is done.",
      name: "execute_bash",
      args: { command: "pytest -q tests" },
      result: `${index + 3} passed in 0.4s\n[The command completed with exit code 0.]`,
    };
  if (index % 3 === 1)
    return {
      thought: `I will change src/module_${index}.py.`,
      name: "str_replace_editor",
      args: {
        command: "str_replace",
        path: `/workspace/src/module_${index}.py`,
        old_str: `value = ${index}`,
        new_str: `value = ${index + 1}`,
      },
      result: `The file /workspace/src/module_${index}.py has been edited.`,
    };
  const lines = Array.from(
    { length: run.lines ?? 30 },
    (_, line) => `${run.instance} src/module_${index}.py:${line}: def handler_${index}_${line}(request, state=None):`,
  );
  return {
    thought: `Let me look at module ${index}.`,
    name: "execute_bash",
    args: { command: `grep -n def src/module_${index}.py` },
    result: `${lines.join("\n")}${index === 3 ? (run.planted ?? "") : ""}\n[The command completed with exit code 0.]`,
  };
}

/** One row of the format, as an object. */
export function messageRun(run: FakeRun): Record<string, unknown> {
  const messages: unknown[] = [
    { role: "system", content: "You fix bugs." },
    { role: "user", content: `Fix the bug described in ${run.instance}: handlers lose their state.` },
  ];
  const steps = run.steps ?? 30;
  for (let index = 0; index < steps - 1; index += 1) {
    const { thought, name, args, result } = turn(index, run);
    messages.push({ role: "assistant", content: thought, tool_calls: [call(index, name, args)] });
    messages.push({ role: "tool", tool_call_id: `call_${index}`, content: result });
  }
  messages.push({ role: "assistant", content: "Done.", tool_calls: [call(steps, "submit", {})] });
  return {
    instance_id: run.instance,
    repo: run.repo ?? run.instance.replace(/-\d+$/, "").replace("__", "/"),
    messages,
    resolved: run.resolved === undefined ? true : run.resolved,
    exit_status: "submitted",
  };
}

export const messageLines = (runs: readonly FakeRun[]): string => runs.map((run) => `${JSON.stringify(messageRun(run))}\n`).join("");
