// A sandbox whose generations have a container each: which one its object calls, and what happens
// to the previous one.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { getSpareSandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { freshSandbox, host, key, owner, until } from "../support/sandbox-driver.ts";
import { programRefusal } from "../support/scripted-host.ts";

beforeEach(freshSandbox);

const sandbox = () => env.CONTAINED_SANDBOX.getByName(key);
const names = () =>
  [...host.running.keys()].filter((name) => name.startsWith(key)).map((name) => name.replace(key, "key"));
const untilContainers = (...expected: string[]) => until(async () => names()).toEqual(expected);
const state = async () => (await sandbox().status()).state;

async function pause(): Promise<void> {
  const stopping = await sandbox().stopGracefully();
  expect(await sandbox().waitUntilStopped(stopping ?? 0)).toBe(true);
}

/**
 * Discards the first generation. The stop of its container is never answered; the next ones have
 * these responses, then the normal ones.
 */
async function discardUnanswered(name: string, ...answers: (() => Response)[]): Promise<void> {
  const stops = host.count(`stop ${name}`);
  host.answerNext(`stop ${name}`, () => new Promise(() => {}), ...answers);
  await sandbox().discard(1);
  await until(async () => host.count(`stop ${name}`)).toBe(stops + 1);
}

test("each wake has a container of its own, and does not call the previous one, which ended with the pause", async () => {
  await sandbox().wakeForPreview(owner);
  expect(names()).toEqual(["key-1"]);
  expect([await sandbox().isContainerWanted(1), await sandbox().isContainerWanted(null)]).toEqual([true, false]);
  await pause();
  expect([names(), await sandbox().isContainerWanted(1)]).toEqual([[], false]);
  host.happened.length = 0;
  expect(await sandbox().wakeForPreview(owner)).toBe("starting");
  await until(state).toBe("running");
  expect(names()).toEqual(["key-2"]);
  expect(host.happened.filter((what) => what.endsWith(`${key}-1`))).toEqual([]);
});

test("a wake does not wait for a container that does not end, and that one is destroyed", async () => {
  await sandbox().wakeForPreview(owner);
  await discardUnanswered(`${key}-1`, () => new Response(null, { status: 500 }));
  expect(await sandbox().wakeForPreview(owner)).toBe("running");
  expect(names()).toContain("key-2");
  await untilContainers("key-2");
  expect([await sandbox().isContainerWanted(1), await sandbox().isContainerWanted(2)]).toEqual([false, true]);
});

test.each([
  ["keeps its container under the new generation", [], ["key-1"]],
  ["that cannot be used goes on in a new container", [programRefusal("GIT_REFUSED", "no")], ["key-2"]],
])("a spare that is taken over %s", async (_, answers, expected) => {
  const { projectId: id, workspaceId, baseBranch: targetBranch } = owner;
  await sandbox().bringUp(getSpareSandboxOwner({ id, workspaceId, targetBranch }, key));
  expect(names()).toEqual(["key-1"]);
  host.answerNext("PUT /checkout", ...answers);
  expect(await sandbox().bringUp(owner)).toMatchObject({ generation: 2 });
  await untilContainers(...expected);
  await sandbox().destroy();
  await untilContainers();
});
