// The key of a cron run: for whom it acts, what it reaches, what it files, and when it becomes
// invalid.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { NounKind } from "../../../src/access/queries.ts";
import type { Action } from "../../../src/access/rules/permission-table.ts";
import { authenticate } from "../../../src/http/authenticate.ts";
import { toRefusalResponse, toResponse } from "../../../src/http/response.ts";
import { createCronRunKey } from "../../../src/key/queries/keys.ts";
import { createId } from "../../../src/lib/ids.ts";
import { cronRunKeyLifetimeMs } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { createSession, type SessionDraft } from "../../../src/session/create.ts";
import { sessionListRoutes } from "../../../src/session/routes/lists.ts";
import { sessionChangeRoutes } from "../../../src/session/routes/update.ts";
import type { SessionState } from "../../../src/session/rules/session.ts";
import { addCronWorkspace } from "../support/cron-driver.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

const settings = { ...unlimitedEnv, PUBLIC_URL: "http://service.test" };

let world: Awaited<ReturnType<typeof addCronWorkspace>>;
let own = "";
let other = "";
let run: { runId: string; cronId: string };
let token = "";

beforeEach(async () => {
  world = await addCronWorkspace(2);
  [own = "", other = ""] = world.projectIds;
  run = { runId: createId(), cronId: createId() };
  const { workspaceId, userId: createdBy } = world;
  await sql(
    `INSERT INTO cron_runs (id, cron_id, workspace_id, project_id, project_name, status, model, is_opened, created_at)
     VALUES (?1, ?2, ?3, ?4, 'P', 'running', 'anthropic:opus__low', 1, 0)`,
    ...[run.runId, run.cronId, workspaceId, own],
  );
  const bounds = { writer: null, isAskedByAgent: false };
  const key = await createCronRunKey(env.DB, { ...run, workspaceId, projectId: own, createdBy, bounds }, Date.now());
  await key.insertion.run();
  token = key.token;
});

async function sql(statement: string, ...values: unknown[]): Promise<void> {
  await env.DB.prepare(statement)
    .bind(...values)
    .run();
}

const creatorLeaves = () => sql("DELETE FROM members WHERE user_id = ?1", world.userId);
const request = (query = "") =>
  new Request(`http://service.test/?${query}`, { headers: { authorization: `Bearer ${token}` } });

async function code(action: Action, noun: NounKind, params: Record<string, string> = {}, now = Date.now()) {
  const outcome = await authenticate(settings, request(), { action, noun, params }, now);
  return isRefusal(outcome) ? outcome.code : "permitted";
}

async function list(query: string, projectId: string | null = null) {
  const route = sessionListRoutes[projectId === null ? 1 : 0];
  const outcome = await route?.serve(request(query), settings, projectId === null ? {} : { projectId });
  if (outcome === undefined) throw new Error("there is no such list");
  const response = isRefusal(outcome) ? toRefusalResponse(outcome) : toResponse(outcome);
  const { data } = (await response.json()) as { data?: { projectId: string }[] };
  return data?.map(({ projectId: of }) => (of === own ? "own" : "other")) ?? response.status;
}

async function file(changes: Partial<SessionDraft> = {}, projectId = own) {
  const asked = { action: "session.create", noun: "project", params: { projectId } } as const;
  const known = await authenticate(
    settings,
    request(),
    { ...asked, with: ["runningMsThisMonth", "callerModels", "workspaceSpend"] },
    Date.now(),
  );
  if (isRefusal(known)) return known;
  const draft = { title: "Later", prompt: "Mend it.", status: "backlog", priority: "none", ...changes } as const;
  const started = await createSession(settings, { ...known, draft, repeat: null, now: Date.now() });
  return isRefusal(started) ? started : started.session;
}

async function filed(changes: Partial<SessionDraft> = {}): Promise<SessionState> {
  const outcome = await file(changes);
  if (isRefusal(outcome)) throw new Error(outcome.message);
  return (await env.SESSION.getByName(outcome.session.id).read()) as SessionState;
}

/** Changes a session as the route does. Returns the status. */
async function change(sessionId: string, body: object): Promise<number> {
  const route = sessionChangeRoutes.find(({ method }) => method === "PUT");
  const { headers } = request();
  const sent = new Request("http://service.test/", { method: "PUT", headers, body: JSON.stringify(body) });
  const outcome = await route?.serve(sent, settings, { projectId: own, sessionId });
  if (outcome === undefined) throw new Error("there is no such route");
  return isRefusal(outcome) ? toRefusalResponse(outcome).status : toResponse(outcome).status;
}

describe("while the creator is a member", () => {
  test("it reaches what they reach, and deletes nothing", async () => {
    for (const projectId of [own, other]) {
      expect(await code("session.list", "project", { projectId })).toBe("permitted");
      expect(await code("project.read", "project", { projectId })).toBe("permitted");
      expect(await code("project.delete", "project", { projectId })).toBe("FORBIDDEN");
    }
    expect(await code("cron.read", "workspace", { workspaceId: world.workspaceId })).toBe("permitted");
    expect(await code("subscription.read", "none")).toBe("FORBIDDEN");
    expect(await code("project.read", "project", { projectId: createId() })).toBe("NOT_FOUND");
    const elsewhere = await addCronWorkspace();
    expect(await code("project.read", "project", { projectId: elsewhere.projectIds[0] ?? "" })).toBe("FORBIDDEN");
  });

  test("what it files is the service's, created by nobody, on the run's model, and listed by the run", async () => {
    const { session, chat } = await filed();
    expect(session).toMatchObject({
      assignee: { kind: "service" },
      createdBy: null,
      filedBy: { kind: "cron", ...run },
      status: "backlog",
      prompt: "Mend it.",
    });
    expect(chat).toMatchObject({ model: "anthropic:opus__low" });
  });

  test.each([
    ["one that the workspace can run", "anthropic:opus__high", "anthropic:opus__high"],
    ["one that it cannot run", "kimi:kimi__high", "anthropic:opus__low"],
    ["none", undefined, "anthropic:opus__low"],
  ])("requested on the model %s, the session is on %s → %s", async (_, model, expected) => {
    expect(await filed({ model })).toMatchObject({ chat: { model: expected } });
  });

  test("a model that is not in the catalog, an Assignee and an active session are refused", async () => {
    expect(await file({ model: "anthropic:no-such__high" })).toMatchObject({ code: "VALIDATION_ERROR" });
    for (const assigneeId of [world.userId, null])
      expect(await file({ assigneeId })).toMatchObject({ code: "FORBIDDEN" });
    expect(await file({ status: "active" })).toMatchObject({ code: "FORBIDDEN" });
  });

  test("nobody becomes the Assignee of a session by it", async () => {
    const { session } = await filed();
    for (const assigneeId of [world.userId, null]) expect(await change(session.id, { assigneeId })).toBe(403);
    expect(await change(session.id, { priority: "high" })).toBe(200);
  });
});

describe("once the creator has left", () => {
  beforeEach(creatorLeaves);

  test("it reaches only the run's project", async () => {
    for (const [projectId, expected] of [
      [own, "permitted"],
      [other, "FORBIDDEN"],
    ] as const) {
      expect(await code("session.list", "project", { projectId })).toBe(expected);
      expect(await code("deploy.read", "project", { projectId })).toBe(expected);
      expect(await code("deploy.use", "project", { projectId })).toBe("FORBIDDEN");
      expect(await code("project.read", "project", { projectId })).toBe("FORBIDDEN");
    }
    expect(await code("cron.read", "workspace", { workspaceId: world.workspaceId })).toBe("FORBIDDEN");
    expect(await code("personal-skill.list", "none")).toBe("permitted");
    expect(await code("activity.read", "none")).toBe("FORBIDDEN");
  });

  test("lists and searches contain only the project", async () => {
    await filed();
    await sql("UPDATE sessions SET project_id = ?2 WHERE workspace_id = ?1", world.workspaceId, other);
    await filed();
    for (const query of ["", `workspace=${world.workspaceId}`, `project=${own}`])
      expect(await list(query)).toEqual(["own"]);
    expect(await list("", own)).toEqual(["own"]);
    expect(await list(`project=${other}`)).toBe(403);
    expect(await list("", other)).toBe(403);
  });

  test("it still files, for the service", async () => {
    const { session } = await filed();
    expect(session).toMatchObject({
      assignee: { kind: "service" },
      createdBy: null,
      filedBy: { kind: "cron", ...run },
    });
    expect(await file({}, other)).toMatchObject({ code: "FORBIDDEN" });
  });
});

test("once the creator has left, it changes only title, priority and prompt of its own cron's Backlog sessions", async () => {
  const { session } = await filed();
  const { session: foreign } = await filed();
  const indexed = () =>
    env.DB.prepare("SELECT count(*) AS n FROM sessions WHERE filed_cron_id = ?1").bind(run.cronId).first("n");
  await expect.poll(indexed).toBe(2);
  await sql("UPDATE sessions SET filed_cron_id = 'another' WHERE id = ?1", foreign.id);
  await creatorLeaves();
  expect(await change(session.id, { title: "News", priority: "high", prompt: "Mend both." })).toBe(200);
  expect(await env.SESSION.getByName(session.id).read()).toMatchObject({ session: { title: "News" } });
  expect(await change(session.id, { status: "archived" })).toBe(403);
  expect(await change(session.id, { assigneeId: world.userId })).toBe(403);
  expect(await change(foreign.id, { title: "News" })).toBe(403);
});

test("it is invalid once the run's keys are revoked, and after 65 minutes by itself", async () => {
  const now = Date.now();
  expect(await code("models.read", "none", {}, now + cronRunKeyLifetimeMs - 1_000)).toBe("permitted");
  expect(await code("models.read", "none", {}, now + cronRunKeyLifetimeMs + 1_000)).toBe("UNAUTHORIZED");
  expect(cronRunKeyLifetimeMs).toBe(65 * 60_000);
  await sql("DELETE FROM keys WHERE turn_id = ?1", run.runId);
  expect(await code("models.read", "none")).toBe("UNAUTHORIZED");
});
