import { defineConfig } from "vitest/config";
import { CountReporter } from "./test/reporters/count-reporter.ts";

/** Stages have no clock, disk or state of their own (test/architecture.test.ts), so their tests can share a process, and load each module once. */
const pure = ["test/stages/**/*.test.ts", "test/invariants/**/*.test.ts", "test/fuzz/**/*.test.ts", "test/contracts/!(sandboxes).test.ts"];

export default defineConfig({
  test: {
    reporters: ["default", new CountReporter()],
    testTimeout: 300_000, // a machine may be busy; nothing here asserts a time
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: "pure", include: pure, isolate: false } },
      { extends: true, test: { name: "world", include: ["test/**/*.test.ts"], exclude: pure } },
    ],
  },
});
