/** One made-up run in the words of every dialect: look, edit, a failing test, a passing one, the end. */

interface Act {
  readonly thought: string;
  readonly kind: "shell" | "edit" | "end";
  readonly command: string;
  readonly result: string;
  readonly exitCode: number;
}

const file = "/testbed/calc.py";
const edit = { path: file, old: "a - b", new: "a + b" };
const acts: readonly Act[] = [
  { thought: "Look first.", kind: "shell", command: `cat ${file}`, result: "def add(a, b):\n    return a - b", exitCode: 0 },
  { thought: "It subtracts.", kind: "edit", command: "", result: `The file ${file} has been edited.`, exitCode: 0 },
  {
    thought: "Test it.",
    kind: "shell",
    command: "cd /testbed && python -m pytest test_calc.py",
    result: "test_calc.py F\nE   assert 4 == 5\nFAILED test_calc.py::test_add - assert 4 == 5\n=== 1 failed in 0.02s ===",
    exitCode: 1,
  },
  {
    thought: "The test was stale.",
    kind: "shell",
    command: "cd /testbed && python -m pytest test_calc.py",
    result: "test_calc.py .\n=== 1 passed in 0.01s ===",
    exitCode: 0,
  },
  { thought: "Done.", kind: "end", command: "", result: "", exitCode: 0 },
];
const ended = acts.slice(0, -1);
const last = acts.at(-1)?.thought ?? "";

const system = "You are an agent.";
const issue = "add() subtracts";
const prompt = `<uploaded_files>\n/testbed\n</uploaded_files>\n<pr_description>\n${issue}\n</pr_description>`;
const patch = "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n-    return a - b\n+    return a + b\n";
const instance = "acme__calc-1";
const time = "2026-01-02T03:04:05.000Z";

const editorArguments = { command: "str_replace", path: edit.path, old_str: edit.old, new_str: edit.new };

interface Tools {
  readonly shell: (command: string) => readonly [name: string, given: Readonly<Record<string, unknown>>];
  readonly edit: readonly [name: string, given: Readonly<Record<string, unknown>>];
  readonly end: readonly [name: string, given: Readonly<Record<string, unknown>>];
}

const sweAgentTools: Tools = {
  shell: (command) => ["bash", { command }],
  edit: ["str_replace_editor", editorArguments],
  end: ["submit", {}],
};
const openhandsTools: Tools = {
  shell: (command) => ["execute_bash", { command }],
  edit: ["str_replace_editor", editorArguments],
  end: ["finish", { message: "done" }],
};

const callOf = (act: Act, tools: Tools) => (act.kind === "shell" ? tools.shell(act.command) : tools[act.kind]);
const xml = ([name, given]: readonly [string, Readonly<Record<string, unknown>>]): string =>
  `<function=${name}>\n${Object.entries(given)
    .map(([key, value]) => `<parameter=${key}>${value}</parameter>\n`)
    .join("")}</function>`;

const opening = [
  { role: "system", content: system },
  { role: "user", content: prompt },
];

/** OpenAI messages; `more` and `answer` add what a table fills in. */
function nativeMessages(
  tools: Tools,
  answer: (act: Act, id: string) => Record<string, unknown>,
  more: Record<string, unknown> = {},
): unknown[] {
  const turns = acts.flatMap((act, index) => {
    const [name, given] = callOf(act, tools);
    const id = `call_${index}`;
    const turn = {
      ...more,
      role: "assistant",
      content: act.thought,
      tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(given) } }],
    };
    return act.kind === "end" ? [turn] : [turn, { ...more, role: "tool", ...answer(act, id) }];
  });
  return [...opening.map((message) => ({ ...more, ...message })), ...turns];
}

const withCode = (act: Act): string =>
  act.kind === "edit" ? act.result : `${act.result}\n[The command completed with exit code ${act.exitCode}.]`;

const textMessages = (write: (act: Act) => string, answer: (act: Act) => string): unknown[] => [
  ...opening,
  ...acts.flatMap((act) => [
    { role: "assistant", content: `${act.thought}\n\n${write(act)}` },
    ...(act.kind === "end" ? [] : [{ role: "user", content: answer(act) }]),
  ]),
];

const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``;
const bashBlock = (text: string): string => `\`\`\`bash\n${text}\n\`\`\``;
const sed = `sed -i 's/${edit.old}/${edit.new}/' ${file}`;

function shellOf(act: Act): string {
  if (act.kind === "shell") return act.command;
  return act.kind === "edit" ? sed : "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached";
}

/** The same call as SWE-agent 1.x writes it into a terminal. */
function terminalOf(act: Act): string {
  if (act.kind === "shell") return act.command;
  return act.kind === "edit" ? `str_replace_editor str_replace ${file} --old_str '${edit.old}' --new_str '${edit.new}'` : "submit";
}

const smithRow = (messages: unknown) => ({
  messages,
  instance_id: "acme__calc.12345678.bug__0a1b2c3d",
  resolved: true,
  model: "claude-3-7-sonnet",
  traj_id: "acme__calc.12345678.bug__0a1b2c3d.l13ggwmx",
  patch,
});
const observed = (act: Act): string => `OBSERVATION:\n${act.result}`;

const aciAction = (act: Act): string =>
  act.kind === "edit" ? `edit 2:2\n    return ${edit.new}\nend_of_edit` : act.kind === "end" ? "submit" : act.command;
const aciState = (act: Act): string =>
  `${act.kind === "edit" ? `[File: ${file} (2 lines total)]\n` : ""}${act.result}\n(Open file: ${file})\n(Current directory: /testbed)\nbash-$`;

const claudeTools: Tools = {
  shell: (command) => ["Bash", { command }],
  edit: ["Edit", { file_path: edit.path, old_string: edit.old, new_string: edit.new }],
  end: ["none", {}],
};

function claudeLines(): unknown[] {
  const base = (uuid: string, parentUuid: string | null) => ({
    parentUuid,
    isSidechain: false,
    cwd: "/testbed",
    sessionId: "s-1",
    version: "2.0.0",
    uuid,
    timestamp: time,
  });
  const lines: unknown[] = [
    { type: "file-history-snapshot", messageId: "m", snapshot: {} },
    { ...base("u", null), type: "user", message: { role: "user", content: prompt } },
  ];
  let parent = "u";
  for (const [index, act] of ended.entries()) {
    const [name, input] = callOf(act, claudeTools);
    // One reply over two lines, as the program writes it.
    const message = (part: unknown) => ({ role: "assistant", id: `msg_${index}`, model: "claude-sonnet-4-5", content: [part] });
    lines.push({ ...base(`a${index}`, parent), type: "assistant", message: message({ type: "text", text: act.thought }) });
    lines.push({
      ...base(`b${index}`, `a${index}`),
      type: "assistant",
      message: message({ type: "tool_use", id: `toolu_${index}`, name, input }),
    });
    const failed = act.exitCode !== 0;
    const content = failed ? `Exit code ${act.exitCode}\n${act.result}` : act.result;
    const answer = { type: "tool_result", tool_use_id: `toolu_${index}`, content, ...(failed ? { is_error: true } : {}) };
    lines.push({
      ...base(`r${index}`, `b${index}`),
      type: "user",
      message: { role: "user", content: [answer] },
      toolUseResult: { stdout: act.result },
    });
    parent = `r${index}`;
  }
  return [
    ...lines,
    {
      ...base("z", parent),
      type: "assistant",
      message: { role: "assistant", id: "msg_z", model: "claude-sonnet-4-5", content: [{ type: "text", text: last }] },
    },
  ];
}

function codexLines(): unknown[] {
  const line = (type: string, payload: unknown) => ({ timestamp: time, type, payload });
  const item = (payload: unknown) => line("response_item", payload);
  const said = (role: string, text: string) =>
    item({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] });
  return [
    line("session_meta", {
      id: "c-1",
      timestamp: time,
      cwd: "/testbed",
      originator: "codex_exec",
      cli_version: "0.46.0",
      instructions: system,
    }),
    said("user", prompt),
    line("event_msg", { type: "user_message", message: prompt, kind: "plain" }),
    line("turn_context", { cwd: "/testbed", approval_policy: "never", model: "gpt-5-codex", effort: "high" }),
    ...ended.flatMap((act, index) => [
      line("event_msg", { type: "agent_reasoning", text: "**Thinking**" }),
      item({ type: "reasoning", summary: [{ type: "summary_text", text: "**Thinking**" }], content: null, encrypted_content: "gAAAA" }),
      said("assistant", act.thought),
      line("event_msg", { type: "agent_message", message: act.thought }),
      item({
        type: "function_call",
        name: "shell",
        arguments: JSON.stringify({ command: ["bash", "-lc", shellOf(act)] }),
        call_id: `call_${index}`,
      }),
      line("event_msg", { type: "token_count", info: null }),
      item({
        type: "function_call_output",
        call_id: `call_${index}`,
        output: JSON.stringify({ output: act.result, metadata: { exit_code: act.exitCode, duration_seconds: 0.1 } }),
      }),
    ]),
    said("assistant", last),
    line("event_msg", { type: "agent_message", message: last }),
  ];
}

function piLines(): unknown[] {
  const tools: Tools = {
    shell: (command) => ["bash", { command }],
    edit: ["edit", { path: edit.path, oldText: edit.old, newText: edit.new }],
    end: ["none", {}],
  };
  const turn = (content: unknown[]) => ({
    role: "assistant",
    content,
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    stopReason: "toolUse",
  });
  const messages: unknown[] = [
    { role: "user", content: [{ type: "text", text: prompt }] },
    ...ended.flatMap((act, index) => {
      const [name, given] = callOf(act, tools);
      return [
        turn([
          { type: "thinking", thinking: "hm" },
          { type: "text", text: act.thought },
          { type: "toolCall", id: `t${index}`, name, arguments: given },
        ]),
        {
          role: "toolResult",
          toolCallId: `t${index}`,
          toolName: name,
          content: [{ type: "text", text: act.result }],
          isError: act.exitCode !== 0,
        },
      ];
    }),
    turn([{ type: "text", text: last }]),
  ];
  return [
    { type: "session", version: 3, id: "p-1", timestamp: time, cwd: "/testbed" },
    { type: "model_change", id: "m0", parentId: null, timestamp: time, provider: "anthropic", modelId: "claude-sonnet-4-5" },
    ...messages.map((message, index) => ({
      type: "message",
      id: `e${index}`,
      parentId: index === 0 ? "m0" : `e${index - 1}`,
      timestamp: time,
      message,
    })),
  ];
}

function geminiSession(): unknown {
  const tools: Tools = {
    shell: (command) => ["run_shell_command", { command }],
    edit: ["replace", { file_path: edit.path, old_string: edit.old, new_string: edit.new }],
    end: ["none", {}],
  };
  const turns = ended.map((act, index) => {
    const [name, args] = callOf(act, tools);
    const response = { functionResponse: { id: `g${index}`, name, response: { output: act.result } } };
    return {
      id: `m${index}`,
      timestamp: time,
      type: "gemini",
      content: act.thought,
      thoughts: [{ subject: "Thinking", description: "About it.", timestamp: time }],
      toolCalls: [{ id: `g${index}`, name, args, result: [response], status: "success", resultDisplay: "shown" }],
      model: "gemini-2.5-pro",
    };
  });
  const messages = [
    { id: "u", timestamp: time, type: "user", content: prompt },
    ...turns,
    { id: "z", timestamp: time, type: "gemini", content: last, thoughts: [], model: "gemini-2.5-pro" },
  ];
  return { sessionId: "g-1", projectHash: "00", startTime: time, lastUpdated: time, messages };
}

function traeRun(): unknown {
  const tools: Tools = {
    shell: (command) => ["bash", { command }],
    edit: ["str_replace_based_edit_tool", editorArguments],
    end: ["task_done", {}],
  };
  const steps = acts.map((act, index) => {
    const [name, given] = callOf(act, tools);
    const calls = [{ call_id: `k${index}`, name, arguments: given, id: null }];
    const text = act.kind === "end" ? "Task done." : act.result;
    return {
      step_number: index + 1,
      timestamp: time,
      state: "completed",
      llm_messages: null,
      llm_response: { content: act.thought, model: "claude-sonnet-4", finish_reason: "tool_use", usage: null, tool_calls: calls },
      tool_calls: calls,
      tool_results: [{ call_id: `k${index}`, success: true, result: text, error: null, id: null }],
      reflection: null,
      error: null,
    };
  });
  const interaction = { timestamp: time, provider: "anthropic", model: "claude-sonnet-4", input_messages: opening, response: {} };
  return {
    task: prompt,
    start_time: time,
    end_time: time,
    provider: "anthropic",
    model: "claude-sonnet-4",
    max_steps: 20,
    llm_interactions: [interaction],
    agent_steps: steps,
    success: true,
    final_result: "Task done.",
    execution_time: 1.5,
  };
}

function atifRun(): unknown {
  const steps = acts.map((act, index) => {
    const [name, given] = callOf(act, openhandsTools);
    const results = act.kind === "end" ? [] : [{ source_call_id: `call_${index}`, content: withCode(act) }];
    return {
      step_id: index + 3,
      timestamp: time,
      source: "agent",
      message: act.thought,
      reasoning_content: "hm",
      tool_calls: [{ tool_call_id: `call_${index}`, function_name: name, arguments: given }],
      observation: { results },
      metrics: { prompt_tokens: 10, completion_tokens: 2 },
    };
  });
  return {
    schema_version: "ATIF-v1.4",
    session_id: instance,
    agent: { name: "openhands", version: "1.0", model_name: "claude-sonnet-4-5" },
    steps: [
      { step_id: 1, timestamp: time, source: "system", message: system },
      { step_id: 2, timestamp: time, source: "user", message: prompt },
      ...steps,
    ],
    final_metrics: { total_steps: 7 },
  };
}

function r2eRun(): unknown {
  const tools: Tools = {
    shell: (command) => ["execute_bash", { cmd: command }],
    edit: ["file_editor", editorArguments],
    end: ["finish", { command: "submit" }],
  };
  return {
    trajectory_steps: acts.map((act, index) => ({
      step_idx: index,
      thought: act.thought,
      action: xml(callOf(act, tools)),
      observation: act.kind === "end" ? "<<< Finished >>>" : act.result,
      done: act.kind === "end",
    })),
    problem_statement: prompt,
    docker_image: "acme/calc:1",
    agent_args: { llm_name: "claude-3-5-sonnet" },
    ds: { instance_id: instance },
    exit_reason: "agent",
    output_patch: patch,
    reward: 1,
  };
}

function v0Events(): unknown[] {
  const said = (id: number, source: string, action: string, content: string) => ({
    id,
    timestamp: time,
    source,
    message: "",
    action,
    args: { content },
  });
  return [
    said(0, "agent", "system", system),
    said(1, "user", "message", prompt),
    ...acts.flatMap((act, index) => {
      const [name, given] = callOf(act, openhandsTools);
      const id = 2 * index + 2;
      const call = { function: { name, arguments: JSON.stringify(given) }, id: `call_${index}`, type: "function" };
      const reply = {
        id: `r${index}`,
        model: "claude",
        choices: [{ message: { role: "assistant", content: act.thought, tool_calls: [call] } }],
      };
      const metadata = { function_name: name, tool_call_id: `call_${index}`, model_response: reply, total_calls_in_response: 1 };
      const action = act.kind === "shell" ? "run" : act.kind === "edit" ? "edit" : "finish";
      const done = {
        id,
        timestamp: time,
        source: "agent",
        message: "",
        action,
        tool_call_metadata: metadata,
        args: { ...given, thought: act.thought },
      };
      const extras = act.kind === "shell" ? { command: act.command, metadata: { exit_code: act.exitCode } } : {};
      const seen = {
        id: id + 1,
        timestamp: time,
        source: "agent",
        message: "",
        cause: id,
        observation: action,
        content: act.result,
        extras,
      };
      return act.kind === "end" ? [done] : [done, seen];
    }),
  ];
}

function v1Events(): unknown[] {
  const event = (kind: string, id: string, source: string, more: Record<string, unknown>) => ({
    kind,
    id,
    timestamp: time,
    source,
    ...more,
  });
  return [
    event("SystemPromptEvent", "s", "agent", { system_prompt: { type: "text", text: system }, tools: [] }),
    event("MessageEvent", "m", "user", { llm_message: { role: "user", content: [{ type: "text", text: prompt }] }, extended_content: [] }),
    ...acts.flatMap((act, index) => {
      const [name, given] = callOf(act, openhandsTools);
      const call = { index: 0, function: { name, arguments: JSON.stringify(given) }, id: `call_${index}`, type: "function" };
      const content = [{ type: "text", text: act.result }];
      return [
        event("ActionEvent", `a${index}`, "agent", {
          thought: [{ type: "text", text: act.thought }],
          tool_name: name,
          tool_call_id: `call_${index}`,
          tool_call: call,
          llm_response_id: `r${index}`,
        }),
        ...(act.kind === "end"
          ? []
          : [
              event("ObservationEvent", `o${index}`, "environment", {
                tool_name: name,
                tool_call_id: `call_${index}`,
                action_id: `a${index}`,
                observation: { kind: "Observation", content, metadata: act.kind === "shell" ? { exit_code: act.exitCode } : null },
              }),
            ]),
      ];
    }),
  ];
}

const dialogue = nativeMessages(openhandsTools, (act, id) => ({ tool_call_id: id, name: "t", content: withCode(act) }));

/** Raw values by `<dialect>/<case>`; a list under `lines` is one entry per line on disk. */
export const oneRun: Readonly<Record<string, unknown>> = {
  "swe-smith/tool": smithRow(
    JSON.stringify(
      nativeMessages(sweAgentTools, (act, id) => ({ content: [{ type: "text", text: observed(act) }], tool_call_ids: [id] }), {
        agent: "main",
      }),
    ),
  ),
  "swe-smith/xml": smithRow(textMessages((act) => xml(callOf(act, sweAgentTools)), observed)),
  "swe-smith/ticks": smithRow(JSON.stringify(textMessages((act) => fenced(terminalOf(act)), observed))),
  "swe-gym/row": {
    instance_id: `${instance}_0`,
    run_id: "claude-3-5-sonnet_maxiter_30",
    resolved: true,
    messages: nativeMessages(openhandsTools, (act, id) => ({ content: withCode(act), tool_call_id: id, name: "execute_bash" }), {
      tool_calls: null,
      function_call: null,
      name: null,
      tool_call_id: null,
    }),
    tools: [],
    test_result: { git_patch: patch, report: { resolved: true }, test_output: "", apply_patch_output: "" },
  },
  "swe-play/row": {
    messages: textMessages(
      (act) => xml(callOf(act, openhandsTools)),
      (act) => `EXECUTION RESULT of [${callOf(act, openhandsTools)[0]}]:\n${withCode(act)}`,
    ),
    category: "bugfix",
    source: "swe-play",
    id: "calc_1",
  },
  "mini-swe-agent/mini-coder-row": {
    instance_id: instance,
    model: "qwen",
    verified: true,
    patch,
    messages: textMessages(
      (act) => bashBlock(shellOf(act)),
      (act) => `<returncode>${act.exitCode}</returncode>\n<output>\n${act.result}\n</output>`,
    ),
  },
  "nebius-openhands/null-filled": {
    trajectory_id: "t",
    instance_id: instance,
    repo: "acme/calc",
    trajectory: nativeMessages(openhandsTools, (act, id) => ({ tool_call_id: id, content: withCode(act) }), {
      name: null,
      tool_call_id: null,
      tool_calls: null,
    }),
    tools: [],
    model_patch: patch,
    exit_status: "submit",
    resolved: 1,
  },
  "nebius-swe-agent/made": {
    instance_id: `${instance}_7`,
    model_name: "swe-agent-llama-70b",
    target: true,
    trajectory: [
      { role: "system", text: null, system_prompt: system, mask: false, cutoff_date: "01.01.2023" },
      { role: "user", text: prompt, system_prompt: null, mask: false, cutoff_date: null },
      ...acts.flatMap((act) => [
        { role: "ai", text: `${act.thought}\n\n${fenced(aciAction(act))}`, system_prompt: null, mask: true, cutoff_date: null },
        ...(act.kind === "end" ? [] : [{ role: "user", text: aciState(act), system_prompt: null, mask: false, cutoff_date: null }]),
      ]),
    ],
    exit_status: "submitted",
    generated_patch: patch,
    eval_logs: "",
  },
  "messages/openai": { instance_id: instance, messages: dialogue },
  "messages/json-text": {
    instance_id: instance,
    messages: JSON.stringify(dialogue),
    tools: "[]",
    trajectory_id: "t",
    license: "apache-2.0",
  },
  "openhands-completions/one-call": {
    messages: dialogue.slice(0, -1),
    response: { model: "claude", choices: [{ message: dialogue.at(-1), finish_reason: "tool_calls" }] },
    args: [],
    kwargs: { tools: [] },
    timestamp: 1,
    cost: 0.1,
  },
  "openhands-v0-events/row": {
    instance_id: instance,
    instruction: prompt,
    metadata: {},
    history: v0Events(),
    test_result: { git_patch: patch },
    error: null,
  },
  "openhands-v1-events/row": {
    instance_id: instance,
    instruction: prompt,
    metadata: {},
    history: v1Events(),
    test_result: { git_patch: patch },
    error: null,
  },
  "r2e-gym/run": r2eRun(),
  "atif/run": atifRun(),
  "adp-standard/made": {
    id: `${instance}_3`,
    content: [
      { class_: "text_observation", content: prompt, source: "user", name: null },
      ...acts.flatMap((act) => [
        act.kind === "shell"
          ? { class_: "code_action", language: "bash", content: act.command, description: act.thought }
          : {
              class_: "api_action",
              function: callOf(act, sweAgentTools)[0],
              kwargs: callOf(act, sweAgentTools)[1],
              description: act.thought,
            },
        ...(act.kind === "end" ? [] : [{ class_: "text_observation", content: act.result, source: "environment", name: null }]),
      ]),
      { class_: "text_observation", content: "Your implementation satisfies the task requirements.", source: "environment", name: null },
      { class_: "message_action", content: "<finish> I did it! The task is now complete. </finish>", description: "" },
    ],
    details: {},
  },
  "sharegpt/function-calls": {
    id: instance,
    system,
    tools: "[]",
    conversations: [
      { from: "human", value: prompt },
      ...acts.flatMap((act) => {
        const [name, given] = callOf(act, openhandsTools);
        return [
          { from: "function_call", value: `${act.thought}\n${JSON.stringify({ name, arguments: given })}` },
          ...(act.kind === "end" ? [] : [{ from: "observation", value: withCode(act) }]),
        ];
      }),
    ],
  },
  "claude-code/made": claudeLines(),
  "codex-rollout/made": codexLines(),
  "gemini-cli/made": geminiSession(),
  "pi/session": piLines(),
  "trae/run": traeRun(),
};
