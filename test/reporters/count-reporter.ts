import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** Prints `N passed, N failed` as the last line, and writes both numbers to CATGEN_TEST_REPORT for a script that adds them up. */
export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      if (module.state() === "failed" && module.children.size === 0) failed += 1; // the file itself could not be loaded
      for (const test of module.children.allTests()) {
        if (test.result().state === "passed") passed += 1;
        if (test.result().state === "failed") failed += 1;
      }
    }
    console.log(`${passed} passed, ${failed} failed`);
    const path = process.env["CATGEN_TEST_REPORT"];
    if (path !== undefined && path !== "") writeFileSync(path, `${passed} ${failed}\n`);
  }
}
