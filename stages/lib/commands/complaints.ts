/** What scaffolds answer when they cannot take a turn or a call at all. */

const beginnings = [
  // our own agent (`stages/generate/tools`)
  /^There is no tool /,
  // SWE-agent, mini-swe-agent, their kin in public data sets
  /^Please always provide EXACTLY ONE action/,
  /^Your (?:last )?(?:output|response|reply|command|tool call|function call)s? (?:was|were|is|did|does|could|must|has|contain)/i,
  /^No (?:valid )?(?:tool|function) calls? (?:was |were )?(?:found|detected|made|provided)/i,
  /^(?:Tool call error|Format error|Function call (?:error|validation))/i,
  // OpenHands
  /^(?:ERROR:?\s*)?(?:Missing required (?:parameter|argument)|Parameter ['`]\w{1,60}['`] is (?:required|expected)|Unexpected (?:parameter|argument)|Unrecognized (?:command|parameter|argument)|Invalid JSON|Error validating (?:args|arguments|tool))/,
  /^(?:ERROR:?\s*)?(?:Function|Tool) ['"`]?[\w.-]{1,80}['"`]? (?:is )?not found/,
  // Claude Code, Gemini CLI, Cline
  /^(?:<tool_use_error>)?\s*(?:InputValidationError|Error: No such tool available|Tool "[^"]{1,80}" not found)/,
  /^\[ERROR\] You did not use a tool/,
  /^params must have required property/,
];

const scaffold = /^(?:\s|OBSERVATION:|Error:(?= (?:Missing|Parameter|Invalid JSON|Unknown (?:tool|function))))*/;

/** Does the answer say that the turn, or the call, was not of the form that the tools ask for? Only its beginning is read. */
export function isProtocolComplaint(answer: string): boolean {
  const text = answer.slice(0, 400).replace(scaffold, "");
  return beginnings.some((beginning) => beginning.test(text));
}
