// `npm run test:containers`: the tests of sandboxes as containers of a real engine, from nothing
// but Debian's packages and the lockfile's. It starts an engine of its own, makes the images, runs
// the tests, and ends what it started.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readBaseImage } from "../../operate/cloudflare/image.ts";
import { createDockerClient } from "../../practice/container-engine/engine.ts";
import { createImages } from "../../practice/container-engine/images.ts";
import { makeBaseImage } from "./base-image.ts";
import { missingForEngine, type OwnEngine, startOwnEngine } from "./own-engine.ts";

const root = join(import.meta.dirname, "../..");
/** Images stay here, so that only the first run takes minutes. */
const folder = process.env.CONTAINERS_FOLDER || "/var/tmp/switchyard-containers";
const startedAt = Date.now();

const missing = await missingForEngine(report);
if (missing !== null) {
  console.error(missing);
  process.exit(1);
}

let tests: ChildProcess | null = null;
let isEnding = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    isEnding = true;
    tests?.kill("SIGTERM");
  });
}

report("the engine");
await mkdir(folder, { recursive: true });
let engine: OwnEngine | null = null;
try {
  const env = await prepare();
  engine = await startOwnEngine(folder, { builds: false });
  report("the tests");
  process.exitCode = isEnding ? 1 : await runTests(engine, env);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await engine?.end();
  report(`ended. The images stay in ${folder}, for the next run.`);
}

/** Makes the images that are missing. Returns the environment of the tests. */
async function prepare(): Promise<NodeJS.ProcessEnv> {
  const engine = await startOwnEngine(folder, { builds: true });
  try {
    return await prepareOn(engine);
  } finally {
    await engine.end();
  }
}

async function prepareOn({ socket, dockerFile }: OwnEngine): Promise<NodeJS.ProcessEnv> {
  const env = { ...process.env, DOCKER_HOST: socket, WRANGLER_DOCKER_BIN: dockerFile };
  // Debian's client builds without BuildKit, which would come from a registry.
  const docker = createDockerClient({ socket, client: dockerFile }, { DOCKER_BUILDKIT: "0" });
  const { name: base } = await readBaseImage(root);
  if ((await docker("images", "--quiet", base)) === "") {
    report("the base image, by debootstrap");
    await makeBaseImage(base, { socket, dockerFile });
  }
  report("the images");
  // What builds an image needs the machine's network.
  const { sandbox, ingress } = await createImages(
    { docker },
    { options: ["--network", "host"], report, ownBase: base },
  );
  return { ...env, SANDBOX_IMAGE: sandbox, MINIFLARE_CONTAINER_EGRESS_IMAGE: ingress };
}

/**
 * Runs the tests where this engine's socket is at its usual place, because the runtime of the
 * driver's tests looks only there.
 */
function runTests({ socketFolder, inside }: OwnEngine, env: NodeJS.ProcessEnv): Promise<number> {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/containers/vitest.config.ts"];
  const script = 'mount --bind "$0" /run && exec "$@"';
  const there = [socketFolder, process.execPath, ...vitest, ...process.argv.slice(2)];
  const [file = "", ...args] = [...inside, "unshare", "--mount", "bash", "-c", script, ...there];
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: root, env, stdio: "inherit" });
    tests = child;
    child.once("error", () => resolve(1)).once("exit", (code) => resolve(code ?? 1));
  });
}

function report(line: string): void {
  console.log(`${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${line}`);
}
