// Lists of sessions: which sessions pass each filter, for rows in every state and for callers of
// every kind that may list.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { toRefusalResponse, toResponse } from "../../../src/http/response.ts";
import { issueAgentToken } from "../../../src/key/queries/keys.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { sessionListRoutes } from "../../../src/session/routes/lists.ts";
import { toSearchable } from "../../../src/session/rules/filter.ts";
import { issueApiKey, issueRelayKey } from "../support/issued-keys.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

const later = Date.now() + 3_600_000;

/** Two workspaces of one user, and one of another user. */
const ws = { home: "ws_lists_home", second: "ws_lists_second", elsewhere: "ws_lists_elsewhere" };
const user = { me: "usr_lists_me", other: "usr_lists_other" };
const project = {
  board: crypto.randomUUID(),
  tram: crypto.randomUUID(),
  second: crypto.randomUUID(),
  away: crypto.randomUUID(),
};
const workspaceIds = { board: ws.home, tram: ws.home, second: ws.second, away: ws.elsewhere };
const token = { me: "", agentOfMe: "", agent: "", relay: "" };

interface Planted {
  title: string;
  of: keyof typeof project;
  status?: string;
  prompt?: string;
  assignee?: "service" | "none" | "me" | "other";
  needsYou?: string;
}

/** From the oldest to the newest; those in one line have the same time. */
const planted: Planted[][] = [
  [{ title: "away", of: "away" }],
  [{ title: "Backlog É", of: "board", status: "backlog", prompt: "Ponder 100% of_it", assignee: "none" }],
  [{ title: "archived", of: "board", status: "archived" }],
  [
    { title: "failed", of: "board", assignee: "other", needsYou: "job_failed" },
    { title: "asks", of: "tram", needsYou: "awaiting_response" },
  ],
  [{ title: "review", of: "tram", status: "under-review", assignee: "service" }],
  [{ title: 'it\'s "done"', of: "second", status: "completed", prompt: "ÜBER alles" }],
  [{ title: "second", of: "second", needsYou: "behind", assignee: "other" }],
];
const all = ["second", 'it\'s "done"', "review", "asks", "failed", "archived", "Backlog É"];

async function run(sql: string, ...values: unknown[]): Promise<void> {
  await env.DB.prepare(sql)
    .bind(...values)
    .run();
}

beforeAll(async () => {
  for (const id of Object.values(ws))
    await run("INSERT INTO workspaces (id, name, slug, plan, created_at) VALUES (?1, 'A', ?1, 'team', 0)", id);
  for (const id of Object.values(user))
    await run("INSERT INTO users (id, name, email, image_url, created_at) VALUES (?1, 'U', ?1, ?1, 0)", id);
  for (const id of [ws.home, ws.second]) await run("INSERT INTO members VALUES (?1, ?2, 'member', 0)", id, user.me);
  await run("INSERT INTO members VALUES (?1, ?2, 'owner', 0)", ws.elsewhere, user.other);
  for (const [name, id] of Object.entries(project))
    await run(
      `INSERT INTO projects (id, workspace_id, name, repository, target_branch, deploy_status, settings, main_sandbox_key, created_at, updated_at)
       VALUES (?1, ?2, 'P', 'a/b', 'main', 'deployed', '{}', 'm', 0, 0)`,
      id,
      workspaceIds[name as keyof typeof project],
    );
  for (const [place, line] of planted.entries())
    for (const [index, one] of line.entries()) await plant(one, 1_000 * place, `${place}${index}`);
  const of = { workspaceId: ws.home, sessionId: crypto.randomUUID(), turnId: crypto.randomUUID(), expiresAt: later };
  token.me = (await issueApiKey(env.DB, { userId: user.me, name: "k", expiresAt: null }, 0)).token;
  token.agentOfMe = await issueAgentToken(env.DB, { ...of, userId: user.me }, 0);
  token.agent = await issueAgentToken(env.DB, { ...of, userId: null }, 0);
  token.relay = (await issueRelayKey(env.DB, { workspaceId: ws.home, name: "r" }, 0)).token;
});

async function plant(one: Planted, createdAt: number, digits: string): Promise<void> {
  const { title, of, status = "active", prompt = null, assignee = "me", needsYou = null } = one;
  const kind = assignee === "none" ? null : assignee === "service" ? "service" : "member";
  await run(
    `INSERT INTO sessions (id, workspace_id, project_id, title, prompt, status, priority, target_branch, sandbox_key, assignee_kind,
       assignee_id, is_behind, queue_count, needs_you, search_title, search_prompt, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'none', 'main', ?1, ?7, ?8, 0, 0, ?9, ?10, ?11, ?12, 0)`,
    `00000000-0000-7000-8000-${digits.padStart(12, "0")}`,
    workspaceIds[of],
    project[of],
    title,
    prompt,
    status,
    kind,
    kind === "member" ? user[assignee as "me" | "other"] : null,
    needsYou,
    toSearchable(title),
    toSearchable(prompt ?? ""),
    createdAt,
  );
}

interface Listed extends Pick<Response, "status"> {
  // biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what a test checks
  body: any;
}

/** Requests one of the two lists; a list of a project if one is named. */
async function ask(
  query: string,
  { as = token.me, of }: { as?: string; of?: keyof typeof project } = {},
): Promise<Listed> {
  const route = sessionListRoutes[of ? 0 : 1];
  if (!route) throw new Error("there is no such list");
  const request = new Request(`http://service.test/?${query}`, { headers: { authorization: `Bearer ${as}` } });
  const settings = { ...unlimitedEnv, PUBLIC_URL: "http://service.test" };
  const answer = await route.serve(request, settings, of ? { projectId: project[of] } : {});
  const response = isRefusal(answer) ? toRefusalResponse(answer) : toResponse(answer);
  return { status: response.status, body: await response.json() };
}

async function titles(query: string, from?: Parameters<typeof ask>[1]): Promise<string[]> {
  const { body } = await ask(query, from);
  return body.data.map(({ title }: { title: string }) => title);
}

describe("of all workspaces of the caller", () => {
  test("every session, newest first, and those of one time in a stable order", async () => {
    const { status, body } = await ask("");
    expect([status, body.meta.pagination]).toEqual([
      200,
      { page: 1, totalPages: 1, pageSize: 25, total: all.length, hasMore: false },
    ]);
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual(all);
  });

  test.each<[query: string, found: string[]]>([
    [`workspace=${ws.home}`, ["review", "asks", "failed", "archived", "Backlog É"]],
    [`workspace=${ws.second}`, ["second", 'it\'s "done"']],
    [`workspace=${ws.home}&workspace=${ws.second}`, all],
    [`project=${project.tram}`, ["review", "asks"]],
    [`project=${project.tram}&project=${project.second}`, ["second", 'it\'s "done"', "review", "asks"]],
    [`project=${project.tram},${project.second}&workspace=${ws.home}`, ["review", "asks"]],
    [`workspace=${ws.home}&project=${project.board}`, ["failed", "archived", "Backlog É"]],
    [`workspace=${ws.second}&project=${project.board}`, []],
    ["status=backlog", ["Backlog É"]],
    ["status=under-review&status=archived", ["review", "archived"]],
    ["status=under-review,archived", ["review", "archived"]],
    ["status=completed&status=backlog,archived", ['it\'s "done"', "archived", "Backlog É"]],
    ["assignee=me", ['it\'s "done"', "asks", "archived"]],
    [`assignee=${user.me}`, ['it\'s "done"', "asks", "archived"]],
    [`assignee=${user.other}`, ["second", "failed"]],
    ["assignee=service", ["review"]],
    ["assignee=none", ["Backlog É"]],
    ["assignee=usr_nobody", []],
    ["needsYou=true", ["second", "asks", "failed"]],
    [`needsYou=true&assignee=me&project=${project.tram}`, ["asks"]],
    ["needsYou=true&status=active&status=completed&search=E", ["second", "failed"]],
    ["status=backlog&needsYou=true", []],
    ["needsYou=false", all],
  ])("%s", async (query, found) => {
    expect(await titles(query)).toEqual(found);
    expect((await ask(query)).body.meta.pagination.total).toBe(found.length);
  });
});

describe("a search", () => {
  test.each<[text: string, found: string[]]>([
    ["", all],
    ["ARCHIVED", ["archived"]],
    ["log é", ["Backlog É"]],
    ["é", ["Backlog É"]],
    ["über", ['it\'s "done"']],
    ["%", ["Backlog É"]],
    ["of_it", ["Backlog É"]],
    ["a_chived", []],
    ["*", []],
    ["'", ['it\'s "done"']],
    ['"done"', ['it\'s "done"']],
    ["' OR 1=1 --", []],
    ["\\", []],
    ["\u0000", []],
    ["aw", []],
    ["日", []],
  ])("for %j finds it literally in title or prompt", async (text, found) => {
    expect(await titles(new URLSearchParams({ search: text }).toString())).toEqual(found);
  });
});

describe("of one project", () => {
  test("only its sessions, with the same filters", async () => {
    expect(await titles("", { of: "board" })).toEqual(["failed", "archived", "Backlog É"]);
    expect(await titles("needsYou=true", { of: "board" })).toEqual(["failed"]);
    expect(await titles(`workspace=${ws.home}&status=archived`, { of: "board" })).toEqual(["archived"]);
    expect(await titles(`project=${project.tram}`, { of: "board" })).toEqual([]);
  });
});

describe("pages", () => {
  test("follow each other without gap or repetition, even with equal times", async () => {
    const pages: string[][] = [];
    for (const page of [1, 2, 3]) pages.push(await titles(`pageSize=4&page=${page}`));
    expect(pages).toEqual([all.slice(0, 4), all.slice(4), []]);
  });

  test.each([
    ["page=2&pageSize=3", { page: 2, totalPages: 3, pageSize: 3, total: 7, hasMore: true }],
    ["page=3&pageSize=3", { page: 3, totalPages: 3, pageSize: 3, total: 7, hasMore: false }],
    ["pageSize=7", { page: 1, totalPages: 1, pageSize: 7, total: 7, hasMore: false }],
    ["pageSize=101", { page: 1, totalPages: 1, pageSize: 100, total: 7, hasMore: false }],
    ["page=9", { page: 9, totalPages: 1, pageSize: 25, total: 7, hasMore: false }],
    ["search=nothing-has-this", { page: 1, totalPages: 0, pageSize: 25, total: 0, hasMore: false }],
  ])("%s", async (query, pagination) => {
    expect((await ask(query)).body.meta.pagination).toEqual(pagination);
  });

  test("beyond the end of the list are empty", async () => {
    expect(await titles(`page=${Number.MAX_SAFE_INTEGER}&pageSize=100`)).toEqual([]);
  });
});

describe("refused is", () => {
  test.each([
    "page=0",
    "page=-1",
    "page=1.5",
    "page=x",
    "page=",
    "page=1&page=2",
    "pageSize=0",
    "pageSize=2.5",
    "pageSize=NaN",
    "status=",
    "status=open",
    "status=active,",
    "status=Active",
    "assignee=",
    "assignee=Mia",
    "assignee=me&assignee=none",
    "needsYou=",
    "needsYou=yes",
    "needsYou=1",
    "search=a&search=b",
    Array.from({ length: 101 }, (_, place) => `workspace=ws_${place}`).join("&"),
  ])("%s", async (query) => {
    for (const of of [undefined, "board"] as const) {
      const { status, body } = await ask(query, of && { of });
      expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    }
  });

  test.each([
    ["a name that no filter has", "colour=green", 400],
    ["a workspace of others", `workspace=${ws.elsewhere}`, 403],
    ["an unknown workspace", "workspace=ws_nothing", 404],
    ["a workspace without a name", "workspace=", 404],
    ["a project of others", `project=${project.away}`, 403],
    ["an unknown project", `project=${crypto.randomUUID()}`, 404],
    ["what is no project id", "project=board", 404],
    ["a workspace of others with a project of one's own", `workspace=${ws.elsewhere}&project=${project.board}`, 403],
  ])("%s", async (_, query, status) => {
    expect((await ask(query)).status).toBe(status);
    expect((await ask(query, { of: "board" })).status).toBe(status);
  });
});

describe("an agent sees only its own workspace", () => {
  const home = ["review", "asks", "failed", "archived", "Backlog É"];

  test.each(["agent", "agentOfMe"] as const)("%s", async (who) => {
    const as = token[who];
    expect(await titles("", { as })).toEqual(home);
    expect(await titles(`workspace=${ws.home}`, { as })).toEqual(home);
    for (const query of [`workspace=${ws.second}`, `project=${project.second}`, `workspace=${ws.elsewhere}`])
      expect((await ask(query, { as })).status).toBe(403);
    expect((await ask("", { as, of: "second" })).status).toBe(403);
  });

  test("and is no user if it acts for none", async () => {
    expect(await titles("assignee=me", { as: token.agent })).toEqual([]);
    expect(await titles("assignee=me", { as: token.agentOfMe })).toEqual(["asks", "archived"]);
  });
});

test("a relay cannot list", async () => {
  expect((await ask("", { as: token.relay })).status).toBe(403);
  expect((await ask("", { as: token.relay, of: "board" })).status).toBe(403);
});

test("a former member sees the workspace's sessions no more", async () => {
  await run("DELETE FROM members WHERE workspace_id = ?1 AND user_id = ?2", ws.second, user.me);
  expect(await titles("")).toEqual(all.slice(2));
  expect((await ask(`workspace=${ws.second}`)).status).toBe(403);
  await run("INSERT INTO members VALUES (?1, ?2, 'member', 0)", ws.second, user.me);
});

test("an Assignee has their current name and picture", async () => {
  await run("UPDATE users SET name = 'New Name' WHERE id = ?1", user.other);
  const [session] = (await ask("search=failed")).body.data;
  expect(session.assignee).toEqual({ kind: "member", userId: user.other, name: "New Name", imageUrl: user.other });
});
