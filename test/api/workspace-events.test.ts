// The live stream of a workspace, from outside: what lists of projects and crons show arrives in it
// as it changes, and what changes its members.
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { createClient } from "../support/client.ts";
import { copyProject } from "../support/copied-project.ts";
import { openStream } from "../support/event-stream.ts";
import { madeWorkspaces } from "../support/made-workspaces.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const { makeWorkspace } = madeWorkspaces(world);
const crons = `/api/organizations/${world.workspaceId}/crons`;
const follow = (path: string, person: "owner" | "member" | "outsider" = "member", lastEventId?: string) =>
  openStream(world.baseUrl, path, { authorization: `Bearer ${world.users[person].apiKey}` }, lastEventId);
type Stream = Awaited<ReturnType<typeof follow>>;

/** The newest data of an event that names this noun. */
const newest = (stream: Stream, name: string, id: string) =>
  stream.events
    .filter(({ event, data }) => event === name && data.includes(id))
    .map(({ data }) => JSON.parse(data))
    .at(-1);

test("a project and a cron arrive as lists show them, and their deletion too", async () => {
  const stream = await follow(`/api/organizations/${world.workspaceId}/events`);
  await stream.received("reset");
  const copied = { projectId: world.projectId, userId: world.users.owner.id };
  const projectId = await copyProject(createInside(world).sql, copied);
  const renamed = (await owner.patch(`/api/projects/${projectId}`, { name: "Renamed" })).body.data;
  await until("its name", async () => newest(stream, "project", projectId));
  expect(newest(stream, "project", projectId)).toEqual({ project: renamed });

  const draft = { name: "Told cron", projectIds: [projectId], prompt: "p".repeat(3_000), cronExpression: "0 3 * * *" };
  const { id } = (await owner.post(crons, draft)).body.data;
  await until("the cron", async () => newest(stream, "cron", id));
  const paused = (await owner.patch(`${crons}/${id}`, { enabled: false })).body.data;
  await until("its pause", async () => newest(stream, "cron", id).cron.enabled === false);
  const cut = { prompt: "p".repeat(2_000), isPromptCut: true };
  expect(newest(stream, "cron", id)).toEqual({ workspaceId: world.workspaceId, cron: { ...paused, ...cut } });
  await owner.delete(`${crons}/${id}`);
  await until("its deletion", async () => newest(stream, "cron_deleted", id));
  await owner.delete(`/api/projects/${projectId}`);
  await until("the project's deletion", async () => newest(stream, "project_deleted", projectId));
  stream.leave();
});

test("each change of members, roles and invitations arrives", async () => {
  const { id, path, boss } = await makeWorkspace("Growing");
  const guest = await signIn(world, "member");
  const stream = await follow(`${path}/events`, "owner");
  await stream.received("reset");
  let invitation = { id: "", token: "" };
  const invite = async () => {
    invitation = (await boss.call("POST", `${path}/invitations`, { email: "member@example.com", role: "member" })).body
      .data;
  };
  const member = `${path}/members/${world.users.member.id}`;
  const changes: [string, () => Promise<unknown>][] = [
    ["an invitation", invite],
    ["its deletion", () => boss.call("DELETE", `${path}/invitations/${invitation.id}`)],
    ["another invitation", invite],
    ["the joining", () => guest.call("POST", `/api/invitations/${invitation.token}/accept`)],
    ["another role", () => boss.call("PATCH", member, { role: "admin" })],
    ["the leaving", () => guest.call("POST", `${path}/leave`)],
  ];
  for (const [what, change] of changes) {
    const before = stream.events.filter(({ event }) => event === "members").length;
    await change();
    await until(what, async () => stream.events.filter(({ event }) => event === "members").length > before);
  }
  expect(newest(stream, "members", id)).toEqual({ workspaceId: id });
  stream.leave();
});

test("one stream has all workspaces of the caller, and no others", async () => {
  const [member, outsider] = [await follow("/api/events"), await follow("/api/events", "outsider")];
  await Promise.all([member.received("reset"), outsider.received("reset")]);
  const theirs = createClient({ ...world, projectId: world.outsideProjectId }, "outsider");
  const mine = await owner.createSession({ title: "Mine", status: "backlog", prompt: "p" });
  const other = await theirs.createSession({ title: "Theirs", status: "backlog", prompt: "p" });
  await until("each session", async () => newest(member, "session", mine.id) && newest(outsider, "session", other.id));
  member.leave();
  const later = await owner.createSession({ title: "Later", status: "backlog", prompt: "p" });
  const again = await follow("/api/events", "member", member.events.at(-1)?.id);
  await until("the later session", async () => newest(again, "session", later.id));
  expect([newest(member, "session", other.id), newest(outsider, "session", mine.id)]).toEqual([undefined, undefined]);
  expect(again.events.map(({ event }) => event)).not.toContain("reset");
  again.leave();
  outsider.leave();
});
