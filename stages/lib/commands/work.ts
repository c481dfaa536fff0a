import { type Action, isCheck } from "./actions.ts";
import { fileSet, isTestFile, looksPassing } from "./files.ts";

/** What a step changes, as far as it and the steps before it tell. */
export interface Work {
  /** Files of the project that were to be changed, tests apart; as written. */
  readonly sources: readonly string[];
  /** Files changed that are tests, or scripts of the agent's own. */
  readonly helpers: readonly string[];
  /** The call that changed the sources: an edit, or a run of a script that writes them; null: none, or it failed. */
  readonly change: Action | null;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Reads the actions of one step after the other; what it says of a step never depends on a later one. */
export function workReader(): (actions: readonly Action[]) => Work {
  const seen = fileSet();
  const own = fileSet();
  const scripts = new Map<string, readonly string[]>();
  /** A file whose first mention is that it is written is the agent's own. */
  const isOwn = (file: string): boolean => {
    if (!seen.has(file) && looksPassing(file)) own.add(file);
    return own.has(file);
  };
  const filesOf = (action: Action): string[] => {
    const rewritten = new Set(action.files.map(baseName)); // a script written anew by the same call is read there
    const remembered = action.runs.map(baseName).filter((script) => !rewritten.has(script));
    const files = [...action.files, ...remembered.flatMap((script) => scripts.get(script) ?? [])];
    return files.filter((file) => !/^\.git\/|\/\.git\//.test(file));
  };
  return (actions) => {
    const sources: string[] = [];
    const helpers: string[] = [];
    let change: Action | null = null;
    for (const action of actions) {
      for (const file of filesOf(action)) {
        const isSource = !isOwn(file) && !isTestFile(file);
        (isSource ? sources : helpers).push(file);
        if (isSource && (!action.failed || isCheck(action))) change = action; // a run may fail after what it wrote first was written
      }
      if (action.writesWhenRun.length > 0) for (const file of action.files) scripts.set(baseName(file), action.writesWhenRun);
      for (const file of [...action.reads, ...action.files]) seen.add(file);
    }
    return { sources, helpers, change };
  };
}
