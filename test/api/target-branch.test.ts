// The Target Branch that a user names for a session: one that the code host does not have is
// refused immediately.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";

const world = apiWorld();
const owner = createClient(world);
const cleo = createCollaborator(world);
const refusal = (branch: string) => ({
  status: 400,
  body: {
    code: "BAD_REQUEST",
    error: `${cleo.repository} has no branch ${branch}. Push it there, or name another Target Branch.`,
  },
});
const sessions = async () => (await owner.get(owner.sessions)).body.meta.pagination.total;

test("an unknown branch creates no session, with its name and repository in the error", async () => {
  const before = await sessions();
  for (const status of ["active", "backlog"]) {
    const answer = await owner.post(owner.sessions, { title: "Elsewhere", status, targetBranch: "no-such-branch" });
    expect(answer).toMatchObject(refusal("no-such-branch"));
  }
  expect(await sessions()).toBe(before);
});

test("an existing branch is accepted, also with a slash in its name", async () => {
  const targetBranch = `release/${process.pid}`;
  expect(await owner.post(owner.sessions, { targetBranch })).toMatchObject(refusal(targetBranch));
  await cleo.atHost("branch", targetBranch, "main");
  const { status, body } = await owner.post(owner.sessions, { title: "Release", targetBranch });
  expect([status, body.data.session.targetBranch]).toEqual([201, targetBranch]);
});

test("an update to an unknown branch changes nothing", async () => {
  const { path } = await owner.createSession({ title: "Stays" });
  expect(await owner.put(path, { title: "Moved", targetBranch: "nowhere" })).toMatchObject(refusal("nowhere"));
  const { session } = (await owner.get(path)).body.data;
  expect([session.title, session.targetBranch]).toEqual(["Stays", "main"]);
});

test("the session's current branch is accepted even after its deletion", async () => {
  const targetBranch = `passing-${process.pid}`;
  await cleo.atHost("branch", targetBranch, "main");
  const { path } = await owner.createSession({ title: "Passing", targetBranch });
  await cleo.atHost("branch", "-D", targetBranch);
  expect((await owner.put(path, { title: "Still", targetBranch })).status).toBe(200);
});

test("a create that is repeated after the deletion of its branch gets the first response", async () => {
  const targetBranch = `repeated-${process.pid}`;
  await cleo.atHost("branch", targetBranch, "main");
  const create = (headers: Record<string, string>) =>
    owner.post(owner.sessions, { title: "Repeated", targetBranch }, headers);
  const key = { "Idempotency-Key": randomUUID() };
  const first = await create(key);
  await cleo.atHost("branch", "-D", targetBranch);
  expect(await create({})).toMatchObject(refusal(targetBranch));
  const { status, body } = await create(key);
  expect({ status, body }).toEqual({ status: first.status, body: first.body });
});
