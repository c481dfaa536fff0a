/**
 * The sections of a memory, in order. They follow what CAT 2.4 (3) says a memory has to hold: completed subtasks, attempted strategies
 * and their outcomes, changes of the environment, facts that constrain later decisions, information useful for future steps.
 */
export const memorySections = [
  { title: "Progress", holds: "what has been completed, and what is being worked on" },
  { title: "Attempts and outcomes", holds: "strategies tried and how each ended; failures stay failures, with their error" },
  { title: "State of the code", holds: "files created or changed, and how; results of the last test run" },
  {
    title: "Facts and constraints",
    holds: "paths, names, line numbers, commands, error messages and rules that later steps need, word for word",
  },
  { title: "Open", holds: "what remains to be done or decided" },
] as const;

export const heading = (title: string): string => `## ${title}`;

/** Titles of the sections that `text` lacks. */
export const missingSections = (text: string): string[] => {
  const lines = new Set(text.split("\n").map((line) => line.trim()));
  return memorySections.map((section) => section.title).filter((title) => !lines.has(heading(title)));
};
