import { jsonMembers } from "../json-text.ts";
import { remembered } from "../remembered.ts";
import type { CallStyle, WrittenCall } from "./call-style.ts";
import { excerpt } from "./excerpt.ts";
import { defaultSystem } from "./hermes.ts";
import { describeTool } from "./tool-schema.ts";
import { readXmlReply } from "./xml-reply.ts";
import { escapeTags, nameText, tags, valueText } from "./xml-text.ts";

const howToCall = `To call a function, write this as the end of your turn:

<function=NAME>
<parameter=KEY>value</parameter>
<parameter=OTHER_KEY>
text of
several lines
</parameter>
</function>

A text goes on lines of its own where it has several lines, or where it would read as a number, list, object, true, false or null. Where a value itself contains one of these tags, write a backslash behind its "<". The result comes in the next turn, under the word OBSERVATION.`;

const describedTool = remembered(describeTool);

/** Arguments that are no JSON object stand as they are and cannot be read back. */
function written(call: WrittenCall): string {
  const body = jsonMembers(call.arguments)?.map(
    ({ key, value }) => `${tags.parameter}${nameText(key)}>${valueText(value)}${tags.endParameter}`,
  );
  return [`${tags.function}${nameText(call.name)}>`, ...(body ?? [escapeTags(call.arguments)]), tags.endFunction].join("\n");
}

/** A blank line sets the first call off, as in both sources; further calls follow line by line. */
const assistant: CallStyle["assistant"] = (thought, calls) =>
  [...(thought === "" ? [] : [escapeTags(thought)]), ...(calls.length === 0 ? [] : [calls.map(written).join("\n")])].join("\n\n");

/**
 * Functions in XML-like text, as OpenHands and SWE-agent have models without a tool-call template write them, for backbones that know
 * those. The result's heading is SWE-smith's. Sources: SWE-smith `transform_traj_xml`, OpenHands' non-native function calling
 * (reference: prior-systems 1.1, formats 2.3); the words of the system text are ours. What makes it exact is ours too: how values tell
 * their kind (`valueText`), and the backslash in text that holds a tag (`escapeTags`); neither shows in an ordinary call.
 */
export const xml: CallStyle = {
  system: (prompt, tools) =>
    [
      prompt ?? defaultSystem,
      ...(tools.length === 0 ? [] : ["# Functions", "You can call these functions.", ...tools.map(describedTool), "# Calls", howToCall]),
    ].join("\n\n"),
  assistant,
  user: (results, feedback) => [...results.map((result) => `OBSERVATION:\n${result}`), ...feedback].join("\n\n"),
  read: (text) => {
    const turn = readXmlReply(text, []);
    if ("problem" in turn) throw new SyntaxError(turn.problem);
    if (assistant(turn.thought, turn.calls) !== text)
      throw new SyntaxError(`expected calls as this style writes them, got ${excerpt(text)}, which says the same in another way`);
    return turn;
  },
  readReply: readXmlReply,
};
