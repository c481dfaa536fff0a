import { defineConfig } from "vitest/config";
import { CountReporter } from "./test/reporters/count-reporter.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    reporters: ["default", new CountReporter()],
    testTimeout: 300_000, // a machine may be busy; nothing here asserts a time
    hookTimeout: 120_000,
  },
});
