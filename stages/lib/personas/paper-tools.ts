import { toolSchema } from "./persona.ts";

/** CAT's tools (paper, section 3) without `context`: what samples show is what the live agent has. The wording is ours; the paper gives none. */
export interface PaperTool {
  readonly name: string;
  /** Raw JSON text of the function schema. */
  readonly schema: string;
  /** Names of the arguments. */
  readonly arguments: ReadonlySet<string>;
}

interface Parameters {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

const paperTool = (name: string, description: string, parameters: Parameters): PaperTool => ({
  name,
  schema: toolSchema(name, description, { type: "object", ...parameters }),
  arguments: new Set(Object.keys(parameters.properties)),
});

export const bashTool = paperTool(
  "execute_bash",
  "Run a command in a persistent bash session; the working directory and variables survive between calls.",
  {
    properties: {
      command: { type: "string", description: "The command line, or input for the running command when is_input is true." },
      is_input: { type: ["string", "boolean"], description: "Send the command as input to the process that is still running." },
      timeout: { type: "number", description: "Seconds after which the command is interrupted." },
    },
    required: ["command"],
  },
);

export const editorCommands = ["view", "create", "str_replace", "insert", "undo_edit"] as const;

export const editorTool = paperTool("str_replace_editor", "View, create and edit text files. Edits survive between calls.", {
  properties: {
    command: { type: "string", enum: editorCommands },
    path: { type: "string", description: "Absolute path of a file or folder." },
    file_text: { type: "string", description: "create: the content of the new file." },
    old_str: { type: "string", description: "str_replace: text that occurs exactly once in the file." },
    new_str: { type: "string", description: "str_replace, insert: the text to put there." },
    insert_line: { type: "integer", description: "insert: new_str goes after this line." },
    view_range: { type: "array", items: { type: "integer" }, description: "view: first and last line, counted from 1." },
  },
  required: ["command", "path"],
});

export const submitTool = paperTool("submit", "Hand in the repository as it is now and end the task.", {
  properties: {},
  additionalProperties: false,
});

/** Arguments that OpenHands V1 adds to every tool and that no environment reads (prior-systems 1.5). */
export const injectedArguments: ReadonlySet<string> = new Set(["security_risk", "summary"]);
