// The test projects. `rules` runs in plain Node in seconds; `objects` and `drivers` inside workerd;
// `api` against running worlds, by their interface and by their pages in a browser; `client` tests
// the packages of clients; `system` starts, kills and restarts worlds of its own.
import { generateKeyPairSync } from "node:crypto";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { memoryFolder } from "./test/support/memory-folder.ts";

process.env.TMPDIR = memoryFolder() ?? process.env.TMPDIR ?? "/tmp";

const common = {
  /**
   * Files that run at a time, of whichever project: enough that one computes while the others wait.
   */
  maxWorkers: 5,
  /**
   * Files follow each other in one process: what they import is loaded once, and they leave nothing
   * behind in it.
   */
  isolate: false,
  /** Only a failing test uses it up. The default of a second is too short on a busy machine. */
  expect: { poll: { timeout: 60_000 } },
};
const node = { ...common, environment: "node" as const };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./test/support/count-reporter.ts"],
    projects: [
      {
        test: {
          ...node,
          name: "rules",
          testTimeout: 60_000,
          include: ["test/{unit,console}/**/*.test.ts", "test/*.test.ts"],
        },
      },
      {
        test: {
          ...node,
          name: "tools",
          include: ["test/{practice,scripts,operate,seams}/*.test.ts"],
          globalSetup: ["test/sandbox-program/support/program-file.ts"],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          ...node,
          name: "sandbox",
          include: ["test/sandbox-program/**/*.test.ts"],
          globalSetup: ["test/sandbox-program/support/program-file.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: "./test/workerd/wrangler.toml" },
            miniflare: {
              bindings: { MIGRATIONS: await readD1Migrations("./migrations/d1"), APNS_PRIVATE_KEY: newPushKey() },
            },
          })),
        ],
        test: {
          ...common,
          name: "objects",
          include: ["test/workerd/**/*.test.ts"],
          setupFiles: ["test/workerd/migrated-database.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./test/seams/drivers/wrangler.toml" } })],
        test: {
          ...common,
          name: "drivers",
          include: ["test/seams/drivers/*.test.ts"],
          globalSetup: ["test/seams/drivers/world.ts"],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...node,
          name: "api",
          include: ["test/{api,browser}/**/*.test.ts"],
          globalSetup: [
            "test/support/built-world.ts",
            "test/support/api-worlds.ts",
            "test/support/unpacked-chromium.ts",
          ],
          setupFiles: ["test/support/world-per-file.ts"],
          testTimeout: 360_000,
          hookTimeout: 360_000,
        },
      },
      {
        test: {
          ...node,
          name: "client",
          include: ["test/client/*.test.ts"],
          globalSetup: ["test/support/built-packages.ts", "test/support/built-world.ts", "test/support/api-worlds.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          ...node,
          name: "system",
          include: ["test/system/**/*.test.ts"],
          globalSetup: ["test/support/built-world.ts", "test/support/unpacked-chromium.ts"],
          testTimeout: 400_000,
          hookTimeout: 400_000,
        },
      },
    ],
  },
});

/** The key of the push service in the tests of objects, in PEM. */
function newPushKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
