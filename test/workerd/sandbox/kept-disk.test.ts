// A sandbox whose disk the platform keeps over a pause.
import { beforeEach, expect, test } from "vitest";
import { getMainSandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { freshSandbox, host, key, owner, sandbox, savedWork, settled, until } from "../support/sandbox-driver.ts";

const main = {
  ...getMainSandboxOwner({ id: owner.projectId, workspaceId: owner.workspaceId, targetBranch: "main" }),
  isFresh: true,
};

beforeEach(async () => {
  await freshSandbox();
  host.keepsDisks = true;
});

async function pause(of = owner): Promise<void> {
  expect(await sandbox().bringUp(of)).toMatchObject({ setupFailure: null });
  await sandbox().stopGracefully();
  await until(async () => (await sandbox().status()).state).toBe("paused");
}

test.each([
  ["a session", owner, ["PUT /checkout", "PUT /services"]],
  ["a project", main, ["PUT /checkout", "POST /checkout/follow", "PUT /services"]],
])("the sandbox of %s wakes on its disk: its saved work is not restored", async (_, of, steps) => {
  await pause(of);
  const before = host.happened.length;
  await sandbox().bringUp(of);
  const calls = host.happened.slice(before).filter((call) => /^(PUT|POST) /.test(call));
  expect(calls).toEqual(steps);
});

test("it is saved before its pause, and wakes from that save once its disk is gone", async () => {
  await pause();
  expect(await savedWork()).toHaveLength(1);
  host.keptDisks.delete(key);
  await sandbox().bringUp(owner);
  expect(host.count("PUT /archive")).toBe(1);
});

test("a sandbox that ends without a save leaves no disk", async () => {
  await sandbox().bringUp(owner);
  await sandbox().discard(1);
  await settled();
  expect(host.running.has(key)).toBe(false);
  expect(host.keptDisks.has(key)).toBe(false);
});

test.each([
  ["its session is deleted", () => sandbox().destroy()],
  ["its saved work is dropped", () => sandbox().deleteWork()],
])("its disk is deleted when %s", async (_, end) => {
  await pause();
  expect(host.keptDisks.has(key)).toBe(true);
  await end();
  await settled();
  expect(host.keptDisks.has(key)).toBe(false);
});
