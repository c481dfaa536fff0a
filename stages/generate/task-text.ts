const tags = ["pr_description", "issue_description", "problem_statement", "github_issue"];

/** The bare problem statement, where the prompt marks off exactly that; else null. */
export function issueIn(prompt: string): string | null {
  for (const tag of tags) {
    const inner = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(prompt)?.[1];
    if (inner?.trim()) return inner.trim().replace(/^Consider the following PR description:\s*\n/, "");
  }
  const template =
    /(?:^|\n)ISSUE:\r?\n([\s\S]*?)\r?\n\r?\nINSTRUCTIONS:/.exec(prompt) ??
    /^Please solve this issue: ([\s\S]*?)\r?\n\r?\nYou can execute bash commands/.exec(prompt);
  return template?.[1]?.trim() || null;
}

/** The repository's folder, where the prompt names it; else null. */
export function workdirIn(prompt: string): string | null {
  const named =
    /<uploaded_files>\s*(\/\S+)\s*<\/uploaded_files>/.exec(prompt) ??
    /\(Current directory: (\/[^)\n]+)\)/.exec(prompt) ??
    /\bin the directory (\/[^\s<>"'`]+?)[.,;:]?(?=\s|$)/.exec(prompt);
  return named?.[1] ?? null;
}

/** `owner__name-123` (SWE-bench and its kin) or `owner__name.12345678.bug__hash` (SWE-smith) -> `owner/name`. */
export function repositoryOf(instance: string | null): string | null {
  const found = /^(?:swesmith[/_])?([\w.-]+?)__([\w.-]+?)(?:-\d+(?:_\d+)?|\.[0-9a-f]{8}(?:\..*)?)$/.exec(instance ?? "");
  return found ? `${found[1]}/${found[2]}` : null;
}

/** Converters count the runs of a task in its id: `django__django-11019_4` is run 4 of `django__django-11019`. */
export const withoutRunNumber = (id: string): string => /^(.+__.+-\d+)_\d+$/.exec(id)?.[1] ?? id;

/** `owner__repo.12345678.bug__hash.a1b2c3d4_1`, SWE-smith's name of one run, -> the task's; other ids as above. */
export const taskOfRun = (id: string): string =>
  /^(.+__.+\.[0-9a-f]{8}\.[^.]+)\.[a-z0-9]{8}(?:_\d+)?$/.exec(id)?.[1] ?? withoutRunNumber(id);

/** `.../django__django-11019.traj.json.gz` -> `django__django-11019`. */
export function instanceFromFile(file: string): string {
  const name = file.split("/").at(-1) ?? file;
  const bare = name
    .replace(/\.(?:gz|zst)$/i, "")
    .replace(/(?:\.(?:events|traj|trajectory|history|output))?\.(?:jsonl?|ndjson|traj|parquet)$/i, "");
  return bare || name || "unknown";
}
