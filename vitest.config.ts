// The test projects. `rules` runs in plain Node in seconds; `objects` and `drivers` inside workerd; `api` against running worlds;
// `system` starts, kills and restarts worlds of its own.
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const node = { environment: "node" as const };
/** Two files at a time, behind those of the other projects: they wait more than they compute. */
const processes = { maxWorkers: 2, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    reporters: ["default", "./test/support/count-reporter.ts"],
    projects: [
      { test: { ...node, name: "rules", include: ["test/rules/**/*.test.ts", "test/*.test.ts"] } },
      { test: { ...node, name: "dev", include: ["test/{dev,seams}/*.test.ts"], testTimeout: 30_000 } },
      {
        test: {
          ...node,
          name: "sandbox",
          include: ["test/sandbox/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          ...processes,
        },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: "./test/durable-objects/wrangler.toml" },
            miniflare: { bindings: { MIGRATIONS: await readD1Migrations("./migrations/d1") } },
          })),
        ],
        test: {
          name: "objects",
          include: ["test/durable-objects/**/*.test.ts"],
          setupFiles: ["test/durable-objects/migrated-database.ts"],
          testTimeout: 30_000,
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./test/seams/drivers/wrangler.toml" } })],
        test: {
          name: "drivers",
          include: ["test/seams/drivers/*.test.ts"],
          globalSetup: ["test/seams/drivers/world.ts"],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          ...node,
          name: "api",
          include: ["test/api/**/*.test.ts"],
          globalSetup: ["test/support/api-worlds.ts"],
          setupFiles: ["test/support/end-sandboxes.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          ...processes,
        },
      },
      {
        test: {
          ...node,
          name: "system",
          include: ["test/system/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          ...processes,
        },
      },
    ],
  },
});
