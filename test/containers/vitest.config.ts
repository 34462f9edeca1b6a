// The tests on a real engine, which `npm run test:containers` runs. `driver` runs inside workerd
// with its local containers; `world` starts one-machine worlds whose sandboxes are containers.
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const root = new URL("../..", import.meta.url).pathname;
const container = { imageName: process.env.SANDBOX_IMAGE ?? "" };
const miniflare = {
  durableObjects: {
    CONTAINER: { className: "RealContainer", useSQLite: true, container },
    SANDBOX: { className: "QuietSandbox", useSQLite: true },
  },
};

export default defineConfig({
  root,
  test: {
    projects: [
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./test/containers/driver/wrangler.toml" }, miniflare })],
        test: {
          name: "driver",
          include: ["test/containers/driver/*.test.ts"],
          globalSetup: ["test/containers/driver/world.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 1,
        },
      },
      {
        test: {
          name: "world",
          environment: "node",
          include: ["test/containers/world/*.test.ts"],
          globalSetup: ["test/support/built-world.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
