import { shortened } from "../../lib/commands/actions.ts";
import { oneLine } from "../../lib/memory-text.ts";
import { type Note, note } from "./note.ts";
import { asBullet, isConstraint, sentencesOf } from "./words.ts";

/** What the task asks for, in its own words. */

/** Marks that prompts put around the issue itself; the paper persona's is `issue`. */
const marked = /<(issue|pr_description|issue_description|problem_statement|github_issue)>([\s\S]*?)<\/\1>/;
const longestTitle = 200;
/** Lines that say how to work, not what is wanted. Sources: the prompts of SWE-agent, OpenHands, mini-swe-agent, R2E-Gym. */
const manner = /^(?:<|I've uploaded|I have uploaded|Consider the following|We're currently solving|Please solve|Can you help me|You are )/i;

/** The issue's first line and up to three of its rules; the whole task stays visible, so this only tells what the work is about. */
export function aims(task: string): Note[] {
  const issue = marked.exec(task.slice(0, 40_000))?.[2] ?? task;
  const lines = issue.slice(0, 20_000).split("\n").map(oneLine);
  const first = lines.find(
    (line) => line.length >= 8 && !manner.test(line) && !/^[#\s-]*(?:title|description|summary|bug report)\W*$/i.test(line),
  );
  if (first === undefined) return [];
  const title = shortened(first.replace(/^#{1,6}\s+/, ""), longestTitle);
  const rules = sentencesOf(issue).filter((sentence) => isConstraint(sentence) && !sentence.includes(title));
  return [note("task", title, 1), ...rules.slice(0, 3).map((sentence) => note("task", asBullet(sentence), 0.7))];
}
