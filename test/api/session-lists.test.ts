// Lists of sessions through the public API: a session that its own routes create or change appears
// in lists as a read of it shows it.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const outsider = createClient({ ...world, projectId: world.outsideProjectId }, "outsider");

/** Is in the title of every session of this file, and of no other. */
const mark = randomUUID().slice(0, 8);
const made: Record<string, string> = {};

const make = async (name: string, client: typeof owner, body: Record<string, unknown>) => {
  made[name] = (await client.createSession({ title: `${mark} ${name}`, ...body })).id;
};

beforeAll(async () => {
  await make("active É", owner, { priority: "high" });
  await make("backlog", createClient(world, "member"), { status: "backlog", prompt: `Größer als 100% of_it` });
  await make("sibling", createClient({ ...world, projectId: world.siblingProjectId }), {
    status: "backlog",
    prompt: "p",
  });
  await make("outside", outsider, { status: "backlog", prompt: "p" });
});

const of = async (query: string, client = owner, path = "/api/chat-sessions") => {
  const { status, body } = await client.get(`${path}?${query}`);
  if (status !== 200) return status;
  return body.data.map(({ id }: { id: string }) => Object.keys(made).find((name) => made[name] === id) ?? id);
};
const marked = (text = "") => `search=${encodeURIComponent(`${mark} ${text}`)}`;

test("an item has the format of a single session", async () => {
  for (const name of ["active É", "backlog"]) {
    const read = (await owner.get(`${owner.sessions}/${made[name]}`)).body.data.session;
    const inProject = (await owner.get(`${owner.sessions}?${marked(name)}`)).body.data;
    const across = (await owner.get(`/api/chat-sessions?${marked(name)}`)).body.data;
    expect([inProject, across]).toEqual([[read], [read]]);
  }
});

test("users see the sessions of their workspaces, newest first", async () => {
  expect(await of(marked())).toEqual(["sibling", "backlog", "active É"]);
  expect(await of(marked(), createClient(world, "member"))).toEqual(["sibling", "backlog", "active É"]);
  expect(await of(marked(), outsider)).toEqual(["outside"]);
});

describe("filters", () => {
  test.each<[query: string, found: string[]]>([
    ["status=active", ["active É"]],
    ["status=active&status=backlog", ["sibling", "backlog", "active É"]],
    ["status=active,backlog&assignee=me", ["sibling", "active É"]],
    [`assignee=${world.users.member.id}`, ["backlog"]],
    ["assignee=none", []],
    [`project=${world.projectId}`, ["backlog", "active É"]],
    [`workspace=${world.workspaceId}&project=${world.siblingProjectId}`, ["sibling"]],
    ["pageSize=1&page=2", ["backlog"]],
  ])("%s", async (query, found) => {
    expect(await of(`${marked()}&${query}`)).toEqual(found);
  });

  test.each<[text: string, found: string[]]>([
    [`${mark.toUpperCase()} ACTIVE é`, ["active É"]],
    ["GRÖSSER ALS", ["backlog"]],
    ["% OF_IT", ["backlog"]],
    [`${mark}%`, []],
    [`${mark}_backlog`, []],
  ])("search %s", async (text, found) => {
    expect(await of(`search=${encodeURIComponent(text)}`)).toEqual(found);
  });

  test.each([
    ["a workspace that the caller is not in", `project=${world.outsideProjectId}`, 403],
    ["an unknown workspace", "workspace=ws_nowhere", 404],
    ["an unknown project", `project=${randomUUID()}`, 404],
    ["a status that there is not", "status=done", 400],
    ["a page that is none", "page=0", 400],
  ])("refuse %s", async (_, query, status) => {
    expect(await of(query)).toBe(status);
    expect(await of(query, owner, owner.sessions)).toBe(status);
  });
});

test("a session with a failed turn needs attention until its next turn runs", async () => {
  const title = `${mark} needs`;
  const { path, id, jobId } = await owner.createSession({ title, content: script({ fail: "unauthorized" }) });
  const needy = () => owner.get(`${owner.sessions}?needsYou=true&search=${mark}`);
  expect((await owner.jobUntil(path, jobId)).status).toBe("failed");
  const [item] = await until("the list to show it", async () => {
    const { data } = (await needy()).body;
    return data.length > 0 && data;
  });
  expect([item.id, item.needsYouReason, item.latestChatJob.status]).toEqual([id, "job_failed", "failed"]);
  await owner.run(path, { say: "Well again." });
  await until("the list to show it no more", async () => (await needy()).body.meta.pagination.total === 0);
});

describe("a name of one session", () => {
  const named = (ref: string) => owner.get(`/api/chat-sessions?ref=${encodeURIComponent(ref)}`);

  test("is its id, or the end of it", async () => {
    const id = made.backlog ?? "";
    for (const ref of [id, id.slice(-12)]) expect((await named(ref)).body.data).toMatchObject([{ id }]);
    expect((await owner.get(`/api/chat-sessions/${id}`)).body.data.session).toMatchObject({
      id,
      title: `${mark} backlog`,
    });
  });

  test("that is too short is refused, and an unknown one finds none", async () => {
    expect(await named("abc")).toMatchObject({ status: 400, body: { details: [{ path: "ref" }] } });
    expect((await named("pr:999999")).body.data).toEqual([]);
    expect((await named("no/such-branch")).body.data).toEqual([]);
  });

  test("of a workspace that the caller does not belong to finds none", async () => {
    expect((await named(made.outside ?? "")).body.data).toEqual([]);
    expect((await owner.get(`/api/chat-sessions/${made.outside}`)).status).toBe(403);
  });
});

test("a list is sorted as asked", async () => {
  expect((await of(`${marked()}&sort=priority`))[0]).toBe("active É");
  await owner.call("PUT", `${owner.sessions}/${made.backlog}`, { priority: "low" });
  expect((await of(`${marked()}&sort=updated`))[0]).toBe("backlog");
  expect(await of(`${marked()}&job=running`)).toEqual([]);
});
