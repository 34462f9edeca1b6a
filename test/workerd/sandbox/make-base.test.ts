// How a prebuild is made: of the commit that the code host names, in a sandbox without anything of
// a session. The reports of a session's own sandbox have no influence.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { writeSecret } from "../../../src/network/queries/secrets.ts";
import { findSandboxPrebuild } from "../../../src/sandbox/queries/prebuilds.ts";
import { getMainSandboxOwner, type SandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { standIn } from "../support/outside.ts";
import {
  owner as anyOwner,
  freshSandbox,
  host,
  key,
  newKey,
  sandbox,
  settled,
  until,
} from "../support/sandbox-driver.ts";

const [first, second] = ["1".repeat(40), "2".repeat(40)];
let owner: SandboxOwner;
/** The commit of the Target Branch on the code host. */
let head: string;

beforeEach(() =>
  standIn("http://code-host.test/", () => Response.json({ base_commit: { sha: head }, ahead_by: 0, behind_by: 0 })),
);

beforeEach(async () => {
  await freshSandbox();
  owner = { ...anyOwner, projectId: crypto.randomUUID() };
  head = first;
  await env.DB.prepare(
    `INSERT INTO projects
       (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
     VALUES (?1, 'ws_team', 'App', 'acme/app', 'main', 'deployed', '{"setup":["make"],"services":[],"env":{}}', 'm0', 0, 0)`,
  )
    .bind(owner.projectId)
    .run();
});

/** A new checkout that reports what a malicious branch would. */
const said = () => Response.json({ head: "f".repeat(40), baseCommit: "f".repeat(40), paysABase: true });
const states = async () => {
  const rows = await env.DB.prepare("SELECT state FROM sandbox_bases WHERE project_id = ?1")
    .bind(owner.projectId)
    .all();
  return rows.results.map(({ state }) => state);
};
const stored = async () => (await env.STORE.list({ prefix: `bases/${owner.projectId}/` })).objects.length;
const listCalls = (of: string) => host.calls.filter((one) => one.key === of).map(({ call }) => call);

/** Starts a sandbox of the project, and waits for everything that its start requests. */
async function start(of: string = key, as = owner): Promise<void> {
  if (of === key) host.answerNext("PUT /checkout", said);
  await sandbox(of).wakeForPreview(as);
  await until(async () => (await sandbox(of).status()).state).toBe("running");
  if (of === key) await settled();
}

test("a prebuild is made in a separate sandbox, from the commit that the code host returns, and that sandbox ends", async () => {
  await start();
  expect([await states(), await stored()]).toEqual([["ready"], 1]);
  expect(listCalls(key)).not.toContain("GET /archive/base");
  const [made] = host.calls.filter((one) => one.key !== key && one.call === "PUT /checkout");
  expect(made?.key).toMatch(/^b[0-9a-f]{32}$/);
  const { commit, branch, baseBranch, setup } = JSON.parse(made?.body ?? "");
  expect({ commit, branch, baseBranch, setup }).toEqual({
    commit: first,
    branch: "switchyard/base",
    baseBranch: "main",
    setup: ["make"],
  });
  expect(listCalls(made?.key ?? "")).toEqual(["GET /status", "PUT /checkout", "GET /archive/base"]);
  expect([...host.running.keys()]).toEqual([key]);
});

test("a sandbox starts from the prebuild of the commit that the code host returns, or from an older one, only with its settings", async () => {
  await start();
  const [other, later, changed] = [newKey(), newKey(), newKey()];
  await start(other);
  expect(listCalls(other)).toContain("PUT /archive/base");
  head = second;
  await start(later);
  expect(listCalls(later)).toContain("PUT /archive/base");
  await env.DB.prepare("UPDATE projects SET settings = ?2 WHERE id = ?1")
    .bind(owner.projectId, '{"setup":["make all"],"services":[],"env":{}}')
    .run();
  await start(changed);
  expect(listCalls(changed)).not.toContain("PUT /archive/base");
});

test("a prebuild of a project with a network secret is made with the placeholder, and fits its sandboxes", async () => {
  const secret = { name: "KEY", sealed: "", as: "header", placeholder: "svc_held_x" } as const;
  const row = { ...secret, onlyTo: ["api.example.com"], createdAt: 0, updatedAt: 0 };
  await writeSecret(env.DB, { projectId: owner.projectId, ...row }, 1);
  await start();
  const checkouts = host.calls.filter(({ call }) => call === "PUT /checkout");
  const variables = [{ KEY: "svc_held_x" }, { KEY: "svc_held_x" }];
  expect(checkouts.map(({ body }) => JSON.parse(body ?? "").env)).toEqual(variables);
  const other = newKey();
  await start(other);
  expect(listCalls(other)).toContain("PUT /archive/base");
});

test.each([
  ["if its session never had a checkout, so that it fetches nothing", true, first],
  ["unless its session had one before, which may have pushed its branch", false, undefined],
])("a sandbox with a prebuild gets the newest commit %s", async (_, isNew, newest) => {
  await start();
  const other = newKey();
  await start(other, { ...owner, isNew });
  const call = host.calls.find((one) => one.key === other && one.call === "PUT /checkout");
  expect(JSON.parse(call?.body ?? "").newest).toBe(newest);
});

const hourMs = 3_600_000;
/**
 * Makes the prebuild of the first commit, and starts this sandbox with it after a new commit on the
 * branch.
 */
async function startBehindMerge(of: string, answer: Record<string, unknown>): Promise<void> {
  host.answerNext("PUT /checkout", () => Response.json({ head: second, paysABase: false, ...answer }));
  await sandbox(of).wakeForPreview(owner);
  await until(async () => (await sandbox(of).status()).state).toBe("running");
  await settled(of);
}
/**
 * Makes the project's prebuild of the first commit, this many hours ago; then the branch gets a new
 * commit.
 */
async function baseOfEarlier(hoursAgo: number): Promise<number> {
  await start();
  head = second;
  const at = Date.now() - hoursAgo * hourMs;
  await env.DB.prepare("UPDATE sandbox_bases SET created_at = ?2, cloned_at = ?2 WHERE project_id = ?1")
    .bind(owner.projectId, at)
    .run();
  return at;
}
const bases = async () =>
  (
    await env.DB.prepare("SELECT state, cloned_at AS clonedAt FROM sandbox_bases WHERE project_id = ?1 ORDER BY id")
      .bind(owner.projectId)
      .all<{ state: string; clonedAt: number }>()
  ).results;
/** The calls of the sandboxes in which prebuilds were made, except for the first. */
const askedOfLater = () => {
  const [, ...keys] = new Set(host.calls.map((call) => call.key).filter((of) => of.startsWith("b")));
  return keys.map((of) => listCalls(of));
};

test("after a start that took long to update an old prebuild, the next prebuild is made from that one, not from nothing", async () => {
  const clonedAt = await baseOfEarlier(3);
  const moved = { baseMovedMs: 5_000 };
  // The first is of the session, the second of the prebuild.
  host.answerNext("PUT /checkout", () => Response.json({ head: second, paysABase: false, ...moved }));
  await startBehindMerge(newKey(), moved);
  expect(askedOfLater()).toEqual([["GET /status", "PUT /archive/base", "PUT /checkout", "GET /archive/base"]]);
  expect(await bases()).toEqual([
    { state: "ready", clonedAt },
    { state: "ready", clonedAt },
  ]);
  expect([await stored(), host.running.size]).toEqual([2, 2]);
});

test.each<[string, number, Record<string, unknown>]>([
  ["that was moved on at once", 3, { baseMovedMs: 10 }],
  ["that was made lately", 1, { baseMovedMs: 60_000 }],
  ["of this very commit", 3, {}],
])("a prebuild %s is stored", async (_, hoursAgo, moved) => {
  const clonedAt = await baseOfEarlier(hoursAgo);
  await startBehindMerge(newKey(), moved);
  expect([await bases(), askedOfLater()]).toEqual([[{ state: "ready", clonedAt }], []]);
});

test("a prebuild of last week is replaced by one that is made from nothing", async () => {
  const clonedAt = await baseOfEarlier(24 * 7);
  await startBehindMerge(newKey(), { baseMovedMs: 10 });
  expect(askedOfLater()).toEqual([["GET /status", "PUT /checkout", "GET /archive/base"]]);
  expect((await bases())[1]?.clonedAt).toBeGreaterThan(clonedAt);
});

test("of two sandboxes that update one prebuild concurrently, one causes the next prebuild, and both save their work on the old one", async () => {
  await baseOfEarlier(3);
  const keys = [newKey(), newKey()];
  await Promise.all(keys.map((of) => startBehindMerge(of, { baseMovedMs: 5_000 })));
  expect((await bases()).map(({ state }) => state)).toEqual(["ready", "ready"]);
  const [one, other] = await Promise.all(keys.map((of) => findSandboxPrebuild(env.DB, of)));
  expect([one, other]).toEqual([expect.any(String), one]);
});

test("if a prebuild is deleted before the next is made from it, the next is made from nothing", async () => {
  const clonedAt = await baseOfEarlier(3);
  const of = newKey();
  host.answerNext("PUT /checkout", async () => {
    const { objects } = await env.STORE.list({ prefix: `bases/${owner.projectId}/` });
    await env.STORE.delete(objects.map((layer) => layer.key));
    return Response.json({ head: second, paysABase: false, baseMovedMs: 5_000 });
  });
  await sandbox(of).wakeForPreview(owner);
  await until(async () => (await sandbox(of).status()).state).toBe("running");
  await settled(of);
  expect(askedOfLater()).toEqual([["GET /status", "PUT /checkout", "GET /archive/base"]]);
  expect((await bases())[1]?.clonedAt).toBeGreaterThan(clonedAt);
  expect(await stored()).toBe(1);
});

const refusal = (code: string) => () => Response.json({ code, message: "" }, { status: 422 });
const elsewhere = () => Response.json({ head: second, paysABase: false, baseUnmoved: "It is elsewhere." });

test.each<[string, call: string, () => Response, string]>([
  ["cannot be read", "PUT /archive/base", refusal("ARCHIVE_UNREADABLE"), "running"],
  ["cannot be moved on", "PUT /checkout", elsewhere, "running"],
  ["does not let its setup run", "PUT /checkout", refusal("SETUP_FAILED"), "absent"],
])("a prebuild that %s is abandoned, and the sandbox does not use it", async (_, call, answer, state) => {
  await baseOfEarlier(3);
  const of = newKey();
  host.answerNext(call, answer);
  await sandbox(of).wakeForPreview(owner);
  await until(async () => (await sandbox(of).status()).state).toBe(state);
  expect([await states(), await findSandboxPrebuild(env.DB, of)]).toEqual([["retired"], null]);
});

test("a prebuild whose packages cannot be unpacked after its checkout is abandoned, and one that just broke off is not", async () => {
  await start();
  const broken = () => Response.json({ code: "ARCHIVE_UNREADABLE", message: "It is broken." });
  const brokenOff = () => new Response(new ReadableStream({ start: (body) => body.error(new Error("gone")) }));
  for (const [answer, expected] of [
    [brokenOff, "ready"],
    [broken, "retired"],
  ] as const) {
    const of = newKey();
    host.answerNext("PUT /archive/base", answer);
    await sandbox(of).wakeForPreview(owner);
    await until(async () => (await sandbox(of).status()).state).toBe("running");
    await until(states).toEqual([expected]);
  }
});

test("a sandbox on another branch than the Target Branch neither makes nor uses a prebuild", async () => {
  const topic = { ...owner, id: crypto.randomUUID(), baseBranch: "topic" };
  await start(key, topic);
  expect(await states()).toEqual([]);
  await freshSandbox();
  await start();
  expect(await states()).toEqual(["ready"]);
  const other = newKey();
  await start(other, topic);
  expect(listCalls(other)).not.toContain("PUT /archive/base");
});

test("a prebuild of an earlier program is not used for new sandboxes, and work on top of it is restored", async () => {
  const old = crypto.randomUUID();
  await env.DB.prepare(
    "INSERT INTO sandbox_bases (id, project_id, fingerprint, recipe, state, created_at) VALUES (?1, ?2, 'of before', 'of before', 'ready', 0)",
  )
    .bind(old, owner.projectId)
    .run();
  await env.STORE.put(`bases/${owner.projectId}/${old}.layer`, "base of before");
  await start();
  expect(listCalls(key)).not.toContain("PUT /archive/base");
  await sandbox().stopGracefully();
  await until(async () => (await sandbox().status()).state).toBe("paused");
  host.answerNext("PUT /archive", () => Response.json({ baseId: old }));
  await start();
  expect(listCalls(key)).toContain("PUT /archive/base");
});

test("a prebuild that cannot be made is marked, and the session's sandbox continues", async () => {
  host.answerNext("GET /archive/base", () => new Response("broken", { status: 500 }));
  await start();
  expect([await states(), await stored()]).toEqual([["unmade"], 0]);
  expect([...host.running.keys()]).toEqual([key]);
});

test("a prebuild without its repository, as after a session that ended soon, is made by the next one", async () => {
  const refused = () => Response.json({ code: "GIT_REFUSED", message: "" }, { status: 422 });
  host.answerNext("PUT /checkout", said, refused, said);
  await sandbox().wakeForPreview(owner);
  await until(async () => (await sandbox().status()).state).toBe("running");
  await settled();
  expect(await states()).toEqual(["retired"]);
  const next = newKey();
  await sandbox(next).wakeForPreview(owner);
  await until(async () => (await sandbox(next).status()).state).toBe("running");
  await settled(next);
  expect(await states()).toEqual(["retired", "ready"]);
});

test("a main sandbox makes a prebuild of itself before its services run, on which its saved work is based", async () => {
  const main = getMainSandboxOwner({ id: owner.projectId, workspaceId: owner.workspaceId, targetBranch: "main" });
  const set = () => Response.json({ head, paysABase: true });
  host.answerNext("PUT /checkout", set);
  expect(await sandbox().bringUp({ ...main, isFresh: true })).toMatchObject({ generation: 1 });
  await settled();
  expect([await states(), await stored(), [...host.running.keys()]]).toEqual([["held"], 1, [key]]);
  const asked = listCalls(key);
  expect(asked).not.toContain("PUT /archive/base");
  expect(asked.indexOf("GET /archive/base")).toBeLessThan(asked.indexOf("PUT /services"));
  expect(await findSandboxPrebuild(env.DB, key)).not.toBeNull();
  // Of a commit other than the code host's, none is made.
  const other = newKey();
  host.answerNext("PUT /checkout", () => Response.json({ head: second, paysABase: true }));
  await sandbox(other).bringUp({ ...main, isFresh: true });
  expect(await findSandboxPrebuild(env.DB, other)).toBeNull();
});
