import { defineConfig } from "vitest/config";

/** The long form: `npx vitest run --config test/chaos/vitest.config.ts`, kills by `CHAOS_ROUNDS`, the same moments again by `CHAOS_SEED`. */
// biome-ignore lint/style/noDefaultExport: vitest asks for one
export default defineConfig({
  test: {
    include: ["test/chaos/*.chaos.ts"],
    fileParallelism: false, // each file keeps the cores busy by itself, and moments of kills are drawn from measured times
    testTimeout: 1_800_000,
    hookTimeout: 300_000,
  },
});
