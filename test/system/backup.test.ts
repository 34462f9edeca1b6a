// `npm run backup` while the service works, and a service that starts from the copy.
import { execFile } from "node:child_process";
import { cp, readdir, rm, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient, script } from "../support/client.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";
import { until } from "../support/until.ts";

const root = fileURLToPath(new URL("../..", import.meta.url).href);
let world: RunningWorld;
let restored: RunningWorld;
let target: string;
beforeAll(async () => {
  [world, restored] = await Promise.all([createWorld(), createWorld()]);
  target = `${world.stateDir}-backup`;
  await world.start();
});
afterAll(async () => {
  await Promise.all([world?.remove(), restored?.remove(), target && rm(target, { recursive: true, force: true })]);
});

/** Runs the command as a person in a terminal does. */
async function backUp(folder: string): Promise<{ exitCode: number; output: string }> {
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, STATE_DIR: world.stateDir };
  return await promisify(execFile)("npm", ["run", "--silent", "backup", "--", folder], { cwd: root, env }).then(
    ({ stdout }) => ({ exitCode: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ exitCode: code, output: `${stdout}${stderr}` }),
  );
}

test("a backup during a turn is private, and a service that starts from it has all that was done before", async () => {
  const owner = createClient(world.address());
  const { path, jobId } = await owner.createSession({
    content: script({ bash: "echo first > first.txt" }, { say: "It is written." }),
  });
  await owner.jobUntil(path, jobId);
  const before = await owner.messages(path);
  // The work of a turn is saved right after it.
  const isSaved = async () => (await readdir(`${world.stateDir}/cloudflare/r2`, { recursive: true })).length > 0;
  await until("the work to be saved", isSaved);
  const { path: other } = await owner.createSession({ content: script({ bash: "sleep 600" }) });

  expect(await backUp(`${world.stateDir}/inside`)).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining("is in the state folder itself"),
  });
  const made = await backUp(target);
  expect(made).toMatchObject({ exitCode: 0, output: expect.stringContaining(`cp -a ${target} NEW_STATE_DIR`) });
  expect((await stat(target)).mode & 0o777).toBe(0o700);
  expect(await backUp(target)).toMatchObject({ exitCode: 1, output: expect.stringContaining("is not empty") });
  await world.killAll();

  await cp(target, restored.stateDir, { recursive: true });
  await restored.start();
  const again = createClient(restored.address());
  expect(await again.messages(path)).toEqual(before);
  expect((await again.get(other)).status).toBe(200);
  const job = await again.run(path, { bash: "cat first.txt" });
  expect(job.status).toBe("completed");
  expect(JSON.stringify(await again.listBlocks(path, job.id))).toContain("first");
});
