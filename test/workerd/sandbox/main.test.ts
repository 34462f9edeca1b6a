// The main sandbox of a project and its spares, as their objects start them on a scripted host.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { unusedMainDays } from "../../../src/rules/limits.ts";
import { getMainSandboxOwner, getSpareSandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";
import {
  freshSandbox,
  generation,
  host,
  idle,
  key,
  owner,
  sandbox,
  savedWork,
  settled,
  slotState,
  slots,
  until,
} from "../support/sandbox-driver.ts";
import { programRefusal } from "../support/scripted-host.ts";

const project = { id: owner.projectId, workspaceId: owner.workspaceId, targetBranch: "main" };
const main = { ...getMainSandboxOwner(project), isFresh: true };
const spare = () => getSpareSandboxOwner(project, key);

const unusedMs = unusedMainDays * 24 * 60 * 60_000;

const run = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();
/**
 * When the sandbox was used last, as its object knows it, and since when it sleeps, by the
 * project's row.
 */
const times = async () => ({
  lastUsedAt: await runInDurableObject(
    sandbox(),
    (_, { storage }) => storage.sql.exec<{ at: number }>("SELECT last_used_at AS at FROM sandbox").one().at,
  ),
  sleptAt: await env.DB.prepare("SELECT main_slept_at AS at FROM projects WHERE id = ?1")
    .bind(project.id)
    .first<number>("at"),
});

beforeEach(freshSandbox);

const checkouts = () =>
  host.calls.filter(({ call }) => call === "PUT /checkout").map(({ body }) => JSON.parse(body ?? ""));
const state = async () => (await sandbox().status()).state;

test("a main sandbox that is set up by a Deploy says which command failed, also to the next caller", async () => {
  host.answerNext("PUT /checkout", () =>
    Response.json({ head: null, paysABase: false, setupFailure: "`make` failed" }),
  );
  expect(await sandbox().bringUp(main)).toEqual({ generation: 1, setupFailure: "`make` failed" });
  expect(await sandbox().bringUp(main)).toEqual({ generation: 1, setupFailure: "`make` failed" });
  expect(checkouts()).toMatchObject([{ branch: "main", baseBranch: "main", reportsSetupFailure: true }]);
});

test("one that has stopped unnoticed is started once more", async () => {
  await sandbox().bringUp(main);
  host.lose(key);
  expect(await sandbox().bringUp(main)).toMatchObject({ generation: 2 });
});

test("a main sandbox is lost once there is nothing to wake, and no preview starts it again", async () => {
  expect(await sandbox().wakeForPreview(main)).toBe("lost");
  await sandbox().bringUp(main);
  expect(await sandbox().isLost()).toBe(false);
  expect(await sandbox().wakeForPreview(main)).toBe("running");
  await sandbox().stopGracefully();
  await until(state).toBe("paused");
  expect(await sandbox().isLost()).toBe(false);
  await env.STORE.delete(await savedWork());
  expect(await sandbox().isLost()).toBe(true);
  expect(await sandbox().explainUnreachable(main)).not.toBe("starting");
  expect(await sandbox().wakeForPreview(main)).toBe("lost");
  expect(await generation()).toBe(1);
});

test("one whose saved work cannot be read is lost after the start that found it", async () => {
  await sandbox().bringUp(main);
  await sandbox().stopGracefully();
  await until(state).toBe("paused");
  host.answerNext("PUT /archive", programRefusal("ARCHIVE_UNREADABLE", "It is cut off."));
  expect(await sandbox().bringUp(main)).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  expect(await sandbox().isLost()).toBe(true);
});

test("one that nobody used for 30 days is deleted with its saved work, and never starts again", async () => {
  await run("UPDATE projects SET main_sandbox_key = ?1, main_slept_at = 0 WHERE id = ?2", key, project.id);
  await sandbox().bringUp(main);
  expect(await sandbox().reclaim()).toMatchObject({ removed: false });
  await sandbox().stopGracefully();
  await until(state).toBe("paused");
  const { lastUsedAt, sleptAt } = await times();
  expect(sleptAt).toBeGreaterThanOrEqual(lastUsedAt);
  expect(await sandbox().reclaim()).toEqual({ removed: false, dueAt: lastUsedAt + unusedMs });
  await runInDurableObject(sandbox(), (_, { storage }) => {
    storage.sql.exec("UPDATE sandbox SET last_used_at = ?", lastUsedAt - unusedMs);
  });
  expect(await sandbox().reclaim()).toEqual({ removed: true });
  await settled();
  expect([await savedWork(), await slots(), await sandbox().wakeForPreview(main)]).toEqual([[], 0, "lost"]);
  expect(await sandbox().bringUp(main)).toMatchObject({ code: "BAD_REQUEST" });
});

test("a running main sandbox follows the Target Branch and restarts its services; one that sleeps does not wake", async () => {
  expect(await sandbox().followTargetBranch(main)).toBe("asleep");
  await sandbox().bringUp(main);
  const services = host.count("PUT /services");
  const head = "a".repeat(40);
  host.answerNext(
    "POST /checkout/follow",
    () => Response.json({ head, moved: false }),
    () => Response.json({ head, moved: true }),
    programRefusal("GIT_REFUSED", "Uncommitted work is in the way."),
  );
  expect(await sandbox().followTargetBranch(main)).toEqual({ head, moved: false });
  expect(host.count("PUT /services")).toBe(services);
  expect(await sandbox().followTargetBranch(main)).toEqual({ head, moved: true });
  expect(host.count("PUT /services")).toBe(services + 1);
  expect(await sandbox().followTargetBranch(main)).toMatchObject({
    code: "BAD_REQUEST",
    message: "Uncommitted work is in the way.",
  });
});

test("a wake reports that the checkout did not follow, but not a setup that failed again on the same commit", async () => {
  const live = env.PROJECT.getByName(project.id);
  const facts = { projectId: project.id, workspaceId: project.workspaceId, mainSandboxKey: key, isLive: true };
  const may = { runnable: new Set(["anthropic"] as const), isBlockedOnBilling: false, workspaceSpend: noSpend };
  expect(await live.chooseModel({ ...facts, ...may }, "anthropic:opus__high", { type: "service" })).toBe(
    "anthropic:opus__high",
  );
  const wake = async (followed: () => Response) => {
    host.answerNext("POST /checkout/follow", followed);
    await sandbox().bringUp(main);
    await settled();
    const { stuckCheckout } = (await live.read()) ?? {};
    await sandbox().stopGracefully();
    await until(state).toBe("paused");
    return stuckCheckout;
  };
  const head = "a".repeat(40);
  await sandbox().bringUp(main);
  await sandbox().stopGracefully();
  await until(state).toBe("paused");
  expect(await wake(() => Response.json({ head, moved: false, setupFailure: "at 1:00" }))).toBeNull();
  expect(await wake(() => Response.json({ head, moved: true, setupFailure: "at 2:00" }))).toBe("at 2:00");
  expect(await wake(() => Response.json({ head, moved: false, setupFailure: "at 3:00" }))).toBe("at 2:00");
  expect(await wake(programRefusal("GIT_REFUSED", "in the way"))).toBe("in the way");
  expect(await wake(() => Response.json({ head, moved: false }))).toBeNull();
});

test("a session gets a spare's running process, which is not started again, and its slot", async () => {
  await sandbox().bringUp(spare());
  expect([checkouts()[0].branch, await slots()]).toEqual([`switchyard/spare-${key}`, 1]);
  expect(await sandbox().isGenerationAlive(1)).toBe(true);
  expect(await sandbox().bringUp(owner)).toMatchObject({ generation: 2 });
  expect(host.count(`start ${key}`)).toBe(1);
  expect(checkouts()[1]).toMatchObject({ branch: owner.branch, spareBranch: `switchyard/spare-${key}` });
  expect([await sandbox().isGenerationAlive(1), await slotState()]).toEqual([false, "running"]);
  // Its work is now the session's.
  await sandbox().stopGracefully();
  await until(state).toBe("paused");
});

test("a spare that cannot be adopted, or has died, is started again under the same key", async () => {
  await sandbox().bringUp(spare());
  host.answerNext("PUT /checkout", programRefusal("GIT_REFUSED", "Uncommitted work is in the way."));
  expect(await sandbox().bringUp(owner)).toMatchObject({ generation: 2 });
  expect([host.count(`start ${key}`), checkouts().at(-1).spareBranch]).toEqual([2, undefined]);
  await freshSandbox();
  await sandbox().bringUp(spare());
  host.lose(key);
  expect(await sandbox().bringUp(owner)).toMatchObject({ generation: 2 });
  expect(host.count(`start ${key}`)).toBe(2);
});

test("a spare that nobody claims ends without a save", async () => {
  await sandbox().bringUp(spare());
  await idle();
  await until(state).toBe("absent");
  await settled();
  expect([await savedWork(), await slots(), [...host.running.keys()]]).toEqual([[], 0, []]);
});
