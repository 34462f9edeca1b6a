// The network of a project reaches a sandbox with its next start, also one that claims a spare.
// Where nothing holds a sandbox to it, none starts.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { openInForce } from "../../../src/network/rules/network.ts";
import { readNetwork, updateNetwork } from "../../../src/network/settings.ts";
import { getSpareSandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { freshSandbox, host, key, owner, sandbox, settled } from "../support/sandbox-driver.ts";

/** The Worker's environment with the product's sandboxes. */
const own = { ...env, SANDBOX: env.OWN_SANDBOX } as unknown as Env;
/** The same where nothing holds a sandbox. */
const elsewhere: Env = { ...own, SANDBOX_NETWORKS: "" };
const listed = { mode: "hosts" as const, presets: [], hosts: ["Example.com"], strict: false };
const closed = { ...listed, mode: "closed" as const, hosts: [] };
const setTo = (network: typeof listed | typeof closed) =>
  updateNetwork(own, { projectId: owner.projectId, network }, Date.now());

beforeEach(freshSandbox);
afterEach(() => env.DB.prepare("UPDATE projects SET network = NULL WHERE id = ?1").bind(owner.projectId).run());

test("a project without a network of its own is open, and one is refused where nothing holds it", async () => {
  const projectId = owner.projectId;
  const unset = await readNetwork(elsewhere, projectId);
  expect(unset).toMatchObject({ network: { mode: "open" }, inForce: { mode: "open" }, isEnforced: true });
  expect(await updateNetwork(elsewhere, { projectId, network: closed }, 0)).toMatchObject({
    code: "BAD_REQUEST",
    message: expect.stringContaining("set it to open"),
  });
  expect(await readNetwork(elsewhere, projectId)).toEqual(unset);
});

test("a network that is in force starts nothing where nothing holds it", async () => {
  await setTo(closed);
  expect(await env.CONTAINED_SANDBOX.getByName(key).bringUp(owner)).toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    message: expect.stringContaining("Nothing here enforces"),
  });
  expect(host.happened).toEqual([]);
  expect(await readNetwork(elsewhere, owner.projectId)).toMatchObject({
    inForce: { mode: "closed" },
    isEnforced: false,
  });
});

test("a sandbox is held from its start to its end, and is outdated after a change", async () => {
  await setTo(listed);
  expect(await sandbox().bringUp(owner)).toMatchObject({ setupFailure: null });
  const inForce = { mode: "hosts", hosts: ["example.com"], strict: false };
  expect(host.running.get(key)?.network).toEqual(inForce);
  expect(await sandbox().findNetwork()).toMatchObject({ network: inForce });
  await setTo(closed);
  expect(await sandbox().findNetwork()).toMatchObject({ network: inForce });
});

test("a spare of another network is not adopted: its session's sandbox starts again", async () => {
  const project = { id: owner.projectId, workspaceId: owner.workspaceId, targetBranch: "main" };
  await sandbox().bringUp(getSpareSandboxOwner(project, key));
  expect(host.running.get(key)?.network).toEqual(openInForce);
  await setTo(closed);
  await sandbox().bringUp(owner);
  await settled();
  expect(host.running.get(key)?.network.mode).toBe("closed");
  expect(host.count(`start ${key}`)).toBe(2);
});
