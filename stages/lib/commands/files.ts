import { sameFile } from "./actions.ts";

/** What a path says about the file: whose it is, and whether it holds tests. Names alone are read; nobody has seen the repository. */

const base = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Folder as written, without a slash at its end; "" for a bare name. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/"))).replace(/^\.\//, "");

const testFolder = /(?:^|\/)(?:tests?|testing|spec|specs|__tests__|t)\//i;
const testName =
  /^(?:tests?[_-].{1,200}|.{1,200}[_-](?:tests?|spec)|tests?|.{1,200}\.(?:test|spec))\.\w{1,6}$|^.{1,200}Tests?\.(?:java|kt|cs|scala)$/i;

/** Does the file hold tests, by its name or its folder? */
export const isTestFile = (path: string): boolean => testName.test(base(path)) || testFolder.test(path);

const passing =
  /^(?:re-?pro|debug|verif|check|edge|demo|try|tmp|temp|scratch|minimal|simple|final|comprehensive|analy[sz]e|inspect|investigat|experiment|example|sample|patch|fix|apply|quick|standalone|validat|manual|bench|show|explor)|(?:repro|debug|_fix|_issue|_bug|_check|_demo|\.orig|\.bak|\.log)\b/i;

/** Does a file that the agent itself added look like one that is not meant to stay: a script to reproduce, check or patch with? */
export const looksPassing = (path: string): boolean =>
  passing.test(base(path)) || /^\/tmp\/[^/]{1,200}$/.test(path) || (testName.test(base(path)) && !testFolder.test(path));

/** Paths that stand for the same files however they are spelled; a look-up costs as much as there are files of that name. */
export interface FileSet {
  has(path: string): boolean;
  add(path: string): void;
}

export function fileSet(): FileSet {
  const byName = new Map<string, string[]>();
  const has = (path: string): boolean => (byName.get(base(path)) ?? []).some((known) => sameFile(known, path));
  return {
    has,
    add: (path) => {
      if (has(path)) return;
      byName.set(base(path), [...(byName.get(base(path)) ?? []).slice(-31), path]); // 32 files of one name are plenty: `__init__.py`
    },
  };
}
