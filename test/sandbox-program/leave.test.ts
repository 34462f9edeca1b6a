// Leaving: a program that the platform asks to end lets its turn continue and its work be saved,
// and starts no other.
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { saveWork } from "./support/saved-work.ts";
import { startWorld, type World } from "./support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld({ SANDBOX_QUIET_MS: "5000" });
});
afterAll(() => world?.end());

test("a running turn completes, its work can be saved, and then the program ends", async () => {
  const { program } = world;
  const { service } = await world.runTurn([{ bash: "until [ -f go ]; do sleep 0.02; done; echo done > made.txt" }]);
  const other = await world.newTurn([{ say: "never" }]);
  const ended = once(program.process, "exit");
  program.process.kill("SIGTERM");
  await expect
    .poll(() => program.call("POST", "/turns", other.start), { timeout: 60_000 })
    .toMatchObject({ status: 409, body: { code: expect.stringMatching(/LEAVING|TURN_RUNNING/) } });
  await writeFile(join(program.root, "project", "go"), "");
  expect(await service.ended()).toEqual({ status: "completed" });
  expect(await program.call("POST", "/turns", other.start)).toMatchObject({ status: 409, body: { code: "LEAVING" } });
  expect((await saveWork(program)).length).toBeGreaterThan(0);
  expect(await ended).toEqual([0, null]);
});
