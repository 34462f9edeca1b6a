// Leaving: a program that the platform asks to end lets its turn continue and its work be saved,
// ends its terminals in time for that, and starts no other turn or terminal.
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { saveWork } from "./support/saved-work.ts";
import { openTerminal } from "./support/terminal.ts";
import { startWorld, type World } from "./support/world.ts";

let world: World;
beforeEach(async () => {
  world = await startWorld({ SANDBOX_QUIET_MS: "5000" });
});
afterEach(() => world?.end());

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

test("an open terminal ends, its work can be saved, and no other opens", async () => {
  const { program } = world;
  const terminal = await openTerminal(program);
  await terminal.run("echo typed > made.txt; echo do''ne", "done");
  const ended = once(program.process, "exit");
  program.process.kill("SIGTERM");
  expect(await terminal.closed).toBe(1001);
  const late = await openTerminal(program);
  expect(await late.closed).toBe(1000);
  expect(late.reports.at(-1)).toContain("is moving to another machine");
  expect((await saveWork(program)).length).toBeGreaterThan(0);
  expect(await ended).toEqual([0, null]);
});
