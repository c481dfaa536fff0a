import fc from "fast-check";
import { expect, test } from "vitest";
import { actionCall, cutBashBlock, cutXmlCall, thoughtBefore, without } from "../../../stages/generate/text-calls.ts";

test("an XML call is cut out and the rest of the text keeps every byte", () => {
  const cut = cutXmlCall("  Look at  this:\n\n<function=bash>\n<parameter=command>\nls\n  -la\n</parameter>\n</function>\n");
  expect(cut?.thought).toBe("  Look at  this:");
  expect(cut?.call).toEqual({ id: null, key: null, name: "bash", arguments: '{"command": "ls\\n  -la"}' });
});

test("text on both sides of a call stays, with the white space that stood before the call", () => {
  expect(without("before \n\nBLOCK\n\n after ", 9, 14)).toBe("before \n\nafter ");
});

test("a line range becomes a list and a value that only looks like a number stays text", () => {
  const text = "<function=str_replace_editor>\n<parameter=view_range>[1, 20]</parameter>\n<parameter=old_str>42</parameter>\n</function>";
  expect(JSON.parse(cutXmlCall(text)?.call.arguments ?? "")).toEqual({ view_range: [1, 20], old_str: "42" });
});

test("text without a closed function element holds no call", () => {
  expect(cutXmlCall("I would call <function=bash> now")).toBeNull();
});

test("a reply with one bash block is a call, with two or none it is text", () => {
  expect(cutBashBlock("THOUGHT: x\n\n```bash\nls && \\\n  pwd\n```")?.call.arguments).toBe('{"command": "ls && \\\\\\n  pwd"}');
  expect(cutBashBlock("```bash\nls\n```\n```bash\npwd\n```")).toBeNull();
  expect(cutBashBlock("```python\nprint()\n```")).toBeNull();
});

test("commands of the SWE-agent interface become calls of their name and everything else is shell", () => {
  expect(actionCall("edit 1:2\nx\nend_of_edit\n")).toMatchObject({ name: "edit", arguments: '{"command": "edit 1:2\\nx\\nend_of_edit"}' });
  expect(actionCall("python -m pytest\n").name).toBe("bash");
  expect(actionCall("constructor x").name).toBe("bash");
});

test("the fence that holds the action is cut, another fence in the same reply is not", () => {
  expect(thoughtBefore("See ```\nold\n``` and then:\n```\nls\n```", "ls\n", null)).toBe("See ```\nold\n``` and then:");
  expect(thoughtBefore("No fence here", "ls", "the source's own split")).toBe("the source's own split");
});

test("cutting removes the block and white space around it and nothing else", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", "\n", "é", "😀") });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const left = without(`${before}#${after}`, before.length, before.length + 1);
      expect(left.replace(/\s/g, "")).toBe((before + after).replace(/\s/g, ""));
      if (after.trim() === "") expect(left).toBe(before.trimEnd());
    }),
    { seed: 3 },
  );
});
