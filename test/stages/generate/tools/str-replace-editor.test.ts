import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openToolState } from "../../../../stages/generate/tools/state.ts";
import { strReplaceEditor } from "../../../../stages/generate/tools/str-replace-editor.ts";
import { type MemorySandbox, memorySandbox } from "./memory-sandbox.ts";

const limits = { commandTimeoutMs: 1_000, observationChars: 4_000, fileBytes: 2_000 };

/** An editor over `sandbox` that remembers its edits. */
function editor(sandbox: MemorySandbox) {
  const context = { sandbox, state: openToolState(), limits };
  return async (args: Record<string, unknown>) => {
    const parsed = strReplaceEditor.parse(JSON.stringify(args));
    if (!parsed.ok) throw new Error(parsed.why);
    const observation = await strReplaceEditor.run(parsed.value, context);
    expect(observation).toMatchObject({ exitCode: null, ends: false, failed: observation.text.startsWith("ERROR:\n") });
    return observation.text;
  };
}

const path = "/repo/a.py";
const replace = (old_str: string, new_str?: string) => ({ command: "str_replace", path, old_str, new_str });
const insert = (insert_line: number, new_str: string) => ({ command: "insert", path, insert_line, new_str });
const view = (view_range?: readonly number[]) => ({ command: "view", path, view_range });
const undo = { command: "undo_edit", path };

/** The file after the calls, and the last answer. */
async function edited(content: string | Uint8Array, ...calls: Record<string, unknown>[]) {
  const sandbox = memorySandbox({ [path]: content });
  const edit = editor(sandbox);
  let text = "";
  for (const call of calls) text = await edit(call);
  return { text, content: sandbox.textOf(path) };
}

const tenLines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join("");

describe("view", () => {
  test("numbers lines as `cat -n` does", async () => {
    expect((await edited("a\n\tb\n", view())).text).toBe("Here's the result of running `cat -n` on /repo/a.py:\n     1\ta\n     2\t\tb");
    expect((await edited("a\n\nb", view())).text).toContain(":\n     1\ta\n     2\t\n     3\tb");
  });

  test("shows the asked lines, and says where the file ends before the asked last one", async () => {
    const shown = async (range: readonly number[]) => (await edited(tenLines, view(range))).text.split("\n").slice(1);
    expect(await shown([9, -1])).toEqual(["     9\tline 9", "    10\tline 10"]);
    expect(await shown([3, 3])).toEqual(["     3\tline 3"]);
    expect(await shown([10, 99])).toEqual(["    10\tline 10", "[The file ends with line 10.]"]);
  });

  test.each([[[0, 3]], [[11, 12]], [[5, 4]], [[2, -2]]])("refuses the range %j by the lines there are", async (range) => {
    expect((await edited(tenLines, view(range))).text).toBe(
      `ERROR:\nInvalid \`view_range\` parameter: [${range.join(", ")}]. It should be within the range of lines of the file: [1, 10]; -1 stands for the last line.`,
    );
  });

  test("an empty file is called empty", async () => {
    expect((await edited("", view())).text).toBe("The file /repo/a.py is empty.");
    expect((await edited("\ufeff", view())).text).toBe("The file /repo/a.py is empty.");
  });

  test("a long view keeps head and tail", async () => {
    const { text } = await edited(`${"x".repeat(18)}\n`.repeat(100), view());
    expect(text).not.toContain("left out");
    const long = (await edited("y\n".repeat(900), view())).text;
    expect(long).toMatch(/ 1\ty\n[\s\S]*\n\[\.\.\. Observation truncated: \d+ characters left out \.\.\.\]\n[\s\S]*900\ty$/);
  });

  test("what is no text, too large, or not to be had is refused kindly", async () => {
    for (const binary of [new Uint8Array([0x7f, 0x45, 0x00, 0x46]), new Uint8Array([0x63, 0x61, 0x66, 0xe9])])
      expect((await edited(binary, view())).text).toBe(
        "ERROR:\n/repo/a.py is binary or no UTF-8 text. Look at it with execute_bash, e.g. `file` or `od -c`.",
      );
    expect((await edited("x".repeat(2_001), view())).text).toContain("ERROR:\n/repo/a.py has more than 2000 bytes.");
    expect(await editor(memorySandbox())(view())).toBe(
      "ERROR:\nInvalid `path` parameter: /repo/a.py. The path /repo/a.py does not exist. Please provide a valid path.",
    );
    for (const [why, said] of [
      ["special", "It is neither a regular file nor a directory."],
      ["denied", "Permission denied."],
    ] as const)
      expect(await editor({ ...memorySandbox(), get: async () => ({ ok: false, why }) })(view())).toContain(said);
  });

  test("a folder is listed by the sandbox, and nothing else can be done to it", async () => {
    const sandbox = memorySandbox({}, () => ({ output: "/repo/src/\n/repo/a.py\n" }));
    sandbox.folders.add("/repo");
    const edit = editor(sandbox);
    expect(await edit({ command: "view", path: "/repo" })).toBe(
      "Here's the files and directories up to 2 levels deep in /repo, excluding hidden items:\n/repo/\n/repo/a.py\n/repo/src/",
    );
    for (const call of [replace("a", "b"), insert(0, "x"), undo])
      expect(await edit({ ...call, path: "/repo" })).toContain("is a directory and only the `view` command can be used on directories.");
  });
});

describe("create", () => {
  const create = (file: string, file_text: string) => ({ command: "create", path: file, file_text });

  test("writes the text as it is", async () => {
    const sandbox = memorySandbox();
    for (const [file, text] of [
      ["/repo/new/x.py", "a\r\n\tb"],
      ["/repo/empty", ""],
    ] as const) {
      expect(await editor(sandbox)(create(file, text))).toBe(`File created successfully at: ${file}`);
      expect(sandbox.textOf(file)).toBe(text);
    }
  });

  test("overwrites nothing, neither a file nor a folder", async () => {
    const sandbox = memorySandbox({ [path]: "precious" });
    sandbox.folders.add("/repo");
    for (const there of [path, "/repo"])
      expect(await editor(sandbox)(create(there, "x"))).toBe(
        `ERROR:\nInvalid \`path\` parameter: ${there}. File already exists at: ${there}. Cannot overwrite files using command \`create\`.`,
      );
    expect(sandbox.textOf(path)).toBe("precious");
  });

  test("says why it could not write, and writes nothing that could not be opened again", async () => {
    const sandbox = memorySandbox({ [path]: "" });
    expect(await editor(sandbox)(create(`${path}/x`, "x"))).toBe("ERROR:\n/repo/a.py/x could not be written: it cannot be made.");
    expect(await editor(sandbox)(create("/big", "é".repeat(1_001)))).toBe(
      "ERROR:\n/big would have 2002 bytes, more than the 2000 that the editor opens. Nothing was written.",
    );
    expect([...sandbox.files.keys()]).toEqual([path]);
  });
});

describe("str_replace", () => {
  test("shows the edit between four lines on either side", async () => {
    const { text, content } = await edited(tenLines, replace("line 6\n", "six\nsechs\n"));
    expect(content).toBe(tenLines.replace("line 6\n", "six\nsechs\n"));
    expect(text).toMatch(
      /^The file \/repo\/a\.py has been edited\. Here's the result of running `cat -n` on a snippet of \/repo\/a\.py:\n {5}2\tline 2\n/,
    );
    expect(text).toContain("\n     6\tsix\n     7\tsechs\n     8\tline 7\n");
    expect(text).toMatch(/\n {4}11\tline 10\nReview the changes/);
  });

  test("takes dollar signs and patterns as they are", async () => {
    expect((await edited("a.*b\n", replace(".*", "$&$1$$"))).content).toBe("a$&$1$$b\n");
  });

  test("without new text the old is taken out", async () => {
    expect((await edited("a\nb\n", replace("a\n"))).content).toBe("b\n");
    expect((await edited("a", replace("a"))).content).toBe("");
  });

  test("names the lines where the old text stands more than once, also where places overlap", async () => {
    const { text, content } = await edited("x = 1\ny = 2\nx = 1\n", replace("x = 1", "x = 3"));
    expect(text).toBe(
      "ERROR:\nNo replacement was performed. Multiple occurrences of old_str in lines [1, 3]. Add lines around it until it is unique.",
    );
    expect(content).toBe("x = 1\ny = 2\nx = 1\n");
    expect((await edited("aaa\n", replace("aa", "b"))).text).toContain("Multiple occurrences of old_str in lines [1].");
    expect((await edited("a\n".repeat(50), replace("a", "b"))).text).toContain("in lines [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] and further on.");
  });

  test.each([
    ["x", "x = 1\n", "No replacement was performed. old_str and new_str are the same.", "x"],
    ["", "x = 1\n", "No replacement was performed. old_str is empty; use `insert` to add text, or `create` for a new file.", "y"],
    ["z", "x = 1\n", "No replacement was performed, old_str did not appear verbatim in /repo/a.py.", "y"],
    [
      "if a:\n  b()",
      "# top\nif a:\n    b()\n",
      "No replacement was performed, old_str did not appear verbatim in /repo/a.py. Line 2 and following differ from it in white space only.",
      "y",
    ],
    [
      "     1\tx = 1\n     2\ty",
      "x = 1\ny\n",
      "No replacement was performed, old_str did not appear verbatim in /repo/a.py. Leave out the line numbers that `view` writes before each line.",
      "y",
    ],
    [
      "a\nb",
      "a\r\nb\nc\n",
      "No replacement was performed, old_str did not appear verbatim in /repo/a.py. Line 1 and following differ from it in white space only.",
      "y",
    ],
    [
      "b\nd",
      "a\r\nb\nc\n",
      "No replacement was performed, old_str did not appear verbatim in /repo/a.py. The file mixes CRLF and LF line ends; edit single lines, or make them equal first.",
      "y",
    ],
  ])("%j in %j is refused with what can be seen", async (old, content, said, by) => {
    expect(await edited(content, replace(old, by))).toEqual({ text: `ERROR:\n${said}`, content });
  });
});

describe("insert", () => {
  test.each([
    ["a\nb\n", 0, "x", "x\na\nb\n"],
    ["a\nb\n", 1, "x\ny", "a\nx\ny\nb\n"],
    ["a\nb\n", 2, "x", "a\nb\nx\n"],
    ["a\nb", 2, "x", "a\nb\nx"],
    ["", 0, "x", "x\n"],
    ["a\n", 1, "x\n", "a\nx\n\n"],
    ["\ta\n", 0, "\t\tx", "\t\tx\n\ta\n"],
  ])("into %j behind line %i: %j", async (content, line, added, expected) => {
    expect((await edited(content, insert(line, added))).content).toBe(expected);
  });

  test("shows the new lines in their place", async () => {
    expect((await edited(tenLines, insert(10, "end"))).text).toContain(
      ":\n     7\tline 7\n     8\tline 8\n     9\tline 9\n    10\tline 10\n    11\tend\n",
    );
  });

  test.each([-1, 3])("behind line %i of two is refused", async (line) => {
    expect((await edited("a\nb\n", insert(line, "x"))).text).toBe(
      `ERROR:\nInvalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, 2].`,
    );
  });
});

describe("undo_edit", () => {
  test("takes edits back one by one, and shows what changed", async () => {
    const edits = [replace("line 2\n", ""), insert(0, "top"), replace("line 9", "nine")];
    expect((await edited(tenLines, ...edits, undo)).content).toBe(`top\n${tenLines.replace("line 2\n", "")}`);
    const { text, content } = await edited(tenLines, ...edits, undo, undo, undo);
    expect(content).toBe(tenLines);
    expect(text).toMatch(
      /^Last edit to \/repo\/a\.py undone successfully\. Here's the result of running `cat -n` on a snippet of \/repo\/a\.py:\n {5}1\tline 1\n {5}2\tline 2\n/,
    );
    expect((await edited(tenLines, ...edits, undo, undo, undo, undo)).text).toBe("ERROR:\nNo edit history found for /repo/a.py.");
  });

  test("remembers the last ten edits", async () => {
    const edits = Array.from({ length: 12 }, () => insert(0, "x"));
    const undos = Array.from({ length: 11 }, () => undo);
    expect(await edited("", ...edits, ...undos)).toEqual({ text: "ERROR:\nNo edit history found for /repo/a.py.", content: "x\nx\n" });
  });

  test("does not lose what something else has changed since", async () => {
    const sandbox = memorySandbox({ [path]: "a\n" });
    const edit = editor(sandbox);
    await edit(replace("a", "b"));
    await sandbox.put(path, "b\nc\n");
    expect(await edit(undo)).toContain("cannot be undone: something else has changed the file since");
    expect(sandbox.textOf(path)).toBe("b\nc\n");
  });

  test("knows a file under every spelling of its path, and its files apart", async () => {
    const sandbox = memorySandbox({ [path]: "a\n", "/repo/b.py": "a\n" });
    const real = (asked: string): string => asked.replace("//./", "/");
    const edit = editor({
      ...sandbox,
      get: (asked, maxBytes) => sandbox.get(real(asked), maxBytes),
      put: (asked, content) => sandbox.put(real(asked), content),
    });
    await edit(replace("a", "b"));
    expect(await edit({ ...undo, path: "/repo/b.py" })).toContain("No edit history found for /repo/b.py.");
    expect(await edit({ ...undo, path: "/repo//./a.py" })).toContain("undone successfully");
    expect(sandbox.textOf(path)).toBe("a\n");
  });

  test("a file made anew has no history", async () => {
    const sandbox = memorySandbox({ [path]: "a\n" });
    const edit = editor(sandbox);
    await edit(replace("a", "b"));
    sandbox.files.delete(path);
    await edit({ command: "create", path, file_text: "b\n" });
    expect(await edit(undo)).toContain("No edit history found");
  });

  test("an edit that could not be written is no edit", async () => {
    const sandbox = memorySandbox({ [path]: "a\n" });
    const edit = editor({ ...sandbox, put: async () => ({ ok: false, why: "writing there is not allowed" }) });
    expect(await edit(replace("a", "b"))).toBe("ERROR:\n/repo/a.py could not be written: writing there is not allowed.");
    expect(await edit(undo)).toContain("No edit history found");
  });
});

describe("paths", () => {
  test("a relative path is answered with the absolute one that the shell would take", async () => {
    const edit = editor(memorySandbox({}, (command) => (command === "command pwd" ? { output: "/repo\n" } : {})));
    expect(await edit({ command: "view", path: "src/./a.py" })).toBe(
      "ERROR:\nInvalid `path` parameter: src/./a.py. It should be an absolute path such as /repo/src/a.py.",
    );
    expect(await edit({ command: "view", path: "~/a.py" })).toBe(
      "ERROR:\nInvalid `path` parameter: ~/a.py. It should be an absolute path.",
    );
  });
});

describe("line ends, byte order marks", () => {
  test("a CRLF file keeps its line ends, whichever the agent writes", async () => {
    const content = "a\r\n\tb\r\nc\r\n";
    for (const end of ["\n", "\r\n"])
      expect((await edited(content, replace(`a${end}\tb`, `x${end}y${end}z`))).content).toBe("x\r\ny\r\nz\r\nc\r\n");
    expect((await edited(content, insert(3, "d\ne"))).content).toBe("a\r\n\tb\r\nc\r\nd\r\ne\r\n");
    expect((await edited(content, replace("c\n", "c"), undo)).content).toBe(content);
    expect((await edited(content, view())).text).not.toContain("\r");
  });

  test("a file of mixed line ends is changed only where it is edited", async () => {
    expect((await edited("a\r\nb\nc\r\n", replace("b", "x\ny"))).content).toBe("a\r\nx\ny\nc\r\n");
  });

  test("a byte order mark stays at the start and out of sight", async () => {
    const content = "\ufeffa\nb\n";
    expect((await edited(content, insert(0, "x"))).content).toBe("\ufeffx\na\nb\n");
    expect((await edited(content, replace("a\n", ""))).content).toBe("\ufeffb\n");
    expect((await edited(content, view())).text).not.toContain("\ufeff");
  });
});

describe("any sequence of edits does to the file what it does to a plain string", () => {
  /** The edit on lines with their ends, written down a second time and in another way than the editor does it. */
  function onString(text: string, call: Record<string, unknown>): string {
    if (call["command"] === "str_replace") {
      const [old, by] = [String(call["old_str"]), String(call["new_str"])];
      const places = [...text.matchAll(new RegExp(`(?=${old.replaceAll("$", "\\$")})`, "g"))].map(({ index }) => index);
      const [at = 0] = places;
      return old === "" || places.length !== 1 ? text : text.slice(0, at).concat(by, text.slice(at + old.length));
    }
    const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const line = Number(call["insert_line"]);
    if (line > lines.length) return text;
    const bare = text !== "" && !text.endsWith("\n");
    const closed = lines.map((one) => (one.endsWith("\n") ? one : `${one}\n`));
    const all = closed.toSpliced(line, 0, `${String(call["new_str"])}\n`).join("");
    return bare ? all.slice(0, -1) : all;
  }

  const piece = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\t", " ", "é", "$&"), maxLength: 4 });
  const call = fc.oneof(
    fc.tuple(piece, piece).map(([old, by]) => replace(old, by)),
    fc.tuple(fc.nat(6), piece).map(([line, added]) => insert(line, added)),
    fc.constant(undo),
  );
  const file = fc.string({ unit: fc.constantFrom("a", "b", "c", "\n", "\t", " "), maxLength: 20 });

  test.each([
    ["LF", (text: string) => text],
    ["CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
    ["a byte order mark", (text: string) => `\ufeff${text}`],
  ])("with %s", async (name, onDisk) => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(file, fc.array(call, { maxLength: 12 }), async (content, calls) => {
        fc.pre(name !== "CRLF" || content.includes("\n"));
        const sandbox = memorySandbox({ [path]: onDisk(content) });
        const edit = editor(sandbox);
        let model = content;
        const before: string[] = [];
        for (const one of calls) {
          // A file without any line end has forgotten which it had.
          if (name === "CRLF" && !model.includes("\n")) break;
          const next = one === undo ? (before.pop() ?? model) : onString(model, one);
          if (one !== undo && next !== model) before.push(model);
          const answer = await edit(one);
          changed += next === model ? 0 : 1;
          expect(answer.startsWith("ERROR:")).toBe(next === model && !answer.includes("undone"));
          model = next;
          if (model.includes("\n") || name !== "CRLF") expect(sandbox.textOf(path)).toBe(onDisk(model));
          // What it says about the edit is the file as it is now.
          for (const [, number, line] of answer.matchAll(/^ {5}(\d)\t(.*)$/gm)) expect(model.split("\n")[Number(number) - 1]).toBe(line);
        }
      }),
      { seed: 43, numRuns: 1500 },
    );
    expect(changed).toBeGreaterThan(500);
  });
});
