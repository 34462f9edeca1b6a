// `npm run check`: types, lint, format, the architecture test and the build of a deployment.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const bundleLimitBytes = 512 * 1024;
const outdir = mkdtempSync(join(tmpdir(), "switchyard-deploy-"));

const steps: [what: string, file: string, args: string[]][] = [
  ...[
    "tsconfig.json",
    "sandbox/tsconfig.json",
    "dev/tsconfig.json",
    "bench/tsconfig.json",
    "test/tsconfig.json",
    "test/durable-objects/tsconfig.json",
    "test/seams/drivers/tsconfig.json",
  ].map((config): [string, string, string[]] => [
    `types of ${config}`,
    "typescript/bin/tsc",
    ["--noEmit", "-p", config],
  ]),
  ["lint and format", "@biomejs/biome/bin/biome", ["check", "."]],
  ["import directions and sizes", "vitest/vitest.mjs", ["run", "--project", "rules", "test/architecture.test.ts"]],
  [
    "deploy build",
    "wrangler/bin/wrangler.js",
    // Building the container image needs Docker.
    ["deploy", "--dry-run", "--containers-rollout=none", "--minify", "--outdir", outdir, "--env", "production"],
  ],
];

let failures = 0;
for (const [what, file, args] of steps) {
  const { status } = spawnSync(process.execPath, [`node_modules/${file}`, ...args], { stdio: "inherit" });
  console.log(`${status === 0 ? "ok" : "FAILED"}: ${what}`);
  if (status !== 0) failures += 1;
}

const bundleBytes = readdirSync(outdir)
  .filter((name) => name.endsWith(".js"))
  .reduce((sum, name) => sum + gzipSync(readFileSync(join(outdir, name))).length, 0);
rmSync(outdir, { recursive: true });
const fits = bundleBytes > 0 && bundleBytes < bundleLimitBytes;
console.log(
  `${fits ? "ok" : "FAILED"}: the Worker is ${Math.round(bundleBytes / 1024)} KB gzipped, of ${bundleLimitBytes / 1024} at most`,
);
process.exit(failures === 0 && fits ? 0 : 1);
