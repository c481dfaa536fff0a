import { describe, expect, test } from "vitest";
import { historyReads } from "../../../../stages/filter/conduct/history.ts";
import { conductOfSteps, shellStep } from "../../../fakes/seen.ts";

const log = "95f3d4da59 Fix it\nad1c98905b Before";
const reads = (command: string, result = log, exitCode = 0) => historyReads(conductOfSteps([shellStep(command, result, exitCode)]));

describe("what lies beside or ahead of HEAD", () => {
  test.each([
    "git log --all --oneline",
    "cd /testbed && git log --all --grep='fix' | head -5",
    "git log --remotes -p -- a.py",
    "git log HEAD..origin/main",
    "git show origin/main:src/a.py",
    "git diff HEAD origin/master -- src/a.py",
    "git checkout origin/main -- src/a.py",
    "git log HEAD..main",
    "git reflog",
    "git log -g",
    "git fsck --lost-found",
    "git rev-list --all | head",
    "git cat-file --batch-all-objects --batch-check",
    "git fetch origin && git log -1",
    "git -C /testbed log --branches",
    'bash -c "git log --all"',
    "git cherry-pick upstream/fix-42",
    "git show FETCH_HEAD",
  ])("%s is read", (command) => expect(reads(command)).toBe(1));
});

describe("what HEAD stands on, and what is the agent's own", () => {
  test.each([
    "git log --oneline -10 -- a.py",
    "git log -p a.py",
    "git log --grep=separab --oneline",
    "git show ad1c98905b",
    "git show HEAD~3:a.py",
    "git log v1.0..HEAD",
    "git log origin/main..HEAD",
    "git diff origin/main...HEAD",
    "git blame a.py",
    "git stash && pytest",
    "git stash pop",
    "git status",
    "git diff",
    "git checkout -- a.py",
    "git checkout main",
    "git branch -a",
    "git commit --all -m x",
    "git add --all",
    "git reflog expire --all",
    "echo git log --all",
    "git log -- --all",
  ])("%s is not", (command) => expect(reads(command)).toBe(0));
});

test("a call that fails or prints nothing has read nothing", () => {
  expect(reads("git log --all", "", 0)).toBe(0);
  expect(reads("git show origin/main", "fatal: ambiguous argument 'origin/main': unknown revision", 128)).toBe(0);
});

test("a commit by its hash counts where only such a call had shown it", () => {
  const ahead = [shellStep("git log --all --oneline", log), shellStep("git show 95f3d4da59", "diff --git a/a.py b/a.py")];
  expect(historyReads(conductOfSteps(ahead))).toBe(2);
  expect(historyReads(conductOfSteps([shellStep("git log --oneline", log), ...ahead.slice(1)]))).toBe(0);
});
