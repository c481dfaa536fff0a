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

/** The memory in a model's reply: without reasoning that a server left in the text, and without a code fence around the whole. */
export function memoryIn(reply: string): string {
  const text = reply.replace(/^\s*<think>[\s\S]*?<\/think>/, "").trim();
  const fenced = /^```[a-z]*\n([\s\S]*)\n```$/.exec(text)?.[1];
  return (fenced ?? text).trim();
}

/** Why `text` is no memory: it must be the sections, each once and in order, and nothing before them. null: it is one. */
export function sectionProblem(text: string): "memory-sections-missing" | "memory-sections-disordered" | "memory-preamble" | null {
  const lines = text.split("\n").map((line) => line.trim());
  const wanted = memorySections.map((section) => heading(section.title));
  const found = lines.filter((line) => wanted.includes(line));
  if (wanted.some((line) => !found.includes(line))) return "memory-sections-missing";
  if (found.join("\n") !== wanted.join("\n")) return "memory-sections-disordered";
  return lines[0] === wanted[0] ? null : "memory-preamble";
}
