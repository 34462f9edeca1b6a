// Who may publish the link of a preview: the member who wrote the triggers of a project.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { startPersonDeletion } from "../../../src/deletion/queries/person.ts";
import { createId } from "../../../src/lib/ids.ts";
import { createShareLink, findShareLink } from "../../../src/preview/queries/share-links.ts";
import {
  findSharer,
  listStatusComments,
  saveStatusComment,
  updateStatusComment,
} from "../../../src/trigger/queries/status-comments.ts";
import { writeTriggers } from "../../../src/trigger/queries/triggers.ts";
import type { Trigger } from "../../../src/trigger/rules/trigger.ts";
import { removeMember } from "../../../src/workspace/queries/members.ts";
import { addUser, addWorkspaceWith } from "../support/people.ts";
import { addProject, run } from "../support/repository-world.ts";

test("only a writer who is still a member shares, and only if a trigger says so", async () => {
  const { workspaceId, users } = await addWorkspaceWith({ owner: "owner", member: "member", suspended: "member" });
  const { users: others } = await addWorkspaceWith({ elsewhere: "owner" });
  await run("UPDATE users SET suspended_at = 1 WHERE id = ?1", users.suspended);
  const { projectId } = await addProject(workspaceId);
  let version = 0;
  async function find(writtenBy: string | null, share: boolean): Promise<string | null> {
    const triggers = [
      { id: "t1", share: false },
      { id: "t2", share },
    ] as Trigger[];
    expect(await writeTriggers(env.DB, { projectId, version, triggers, writtenBy })).toBe(true);
    version += 1;
    return await findSharer(env.DB, projectId);
  }
  expect(await find(users.owner, true)).toBe(users.owner);
  // Every member may share a preview.
  expect(await find(users.member, true)).toBe(users.member);
  expect(await find(users.member, false)).toBeNull();
  for (const nobody of [users.suspended, others.elsewhere, await addUser("former"), null])
    expect(await find(nobody, true)).toBeNull();
});

const leave = (workspaceId: string, userId: string, byUserId = userId) =>
  removeMember(env.DB, { workspaceId, userId, byUserId, event: null });

/** Deletes the person with everything that is theirs. */
function deleteAccount(_workspaceId: string, id: string): Promise<boolean> {
  const person = { id, login: null, names: [], addresses: [] };
  return startPersonDeletion(env.DB, person, { now: 1, audit: env.DB.prepare("SELECT 1") });
}

test.each([
  ["membership", leave],
  ["account", deleteAccount],
])("the link in a comment ends with the %s of who it was made for, and no other link does", async (_, end) => {
  const { workspaceId, users } = await addWorkspaceWith({ olive: "owner", mia: "member", ada: "member" });
  const { projectId } = await addProject(workspaceId);
  const links: { slug: string; sessionId: string }[] = [];
  /** Makes the link of a session, which its comment shows if `place` names one. */
  async function share(createdBy: string, place: string | null): Promise<void> {
    const [sessionId, slug] = [createId(), createId()];
    const link = { slug, projectId, sessionId, sandboxKey: sessionId, createdBy, createdAt: 0, lastViewedAt: null };
    await createShareLink(env.DB, link);
    links.push({ slug, sessionId });
    if (place === null) return;
    const of = { projectId, kind: "issue", externalId: place, number: 1, sessionId } as const;
    await saveStatusComment(env.DB, { ...of, content: "link", sender: null, isShared: true }, false);
    for (const comment of await listStatusComments(env.DB, sessionId))
      await updateStatusComment(env.DB, comment, { slug });
  }
  await share(users.mia, "1");
  await share(users.ada, "2");
  await share(users.mia, null);
  const listOpen = () =>
    Promise.all(links.map(async ({ sessionId }) => (await findShareLink(env.DB, sessionId)) !== null));
  expect(await leave(workspaceId, users.mia, users.ada)).toBe(false);
  expect(await listOpen()).toEqual([true, true, true]);
  expect(await end(workspaceId, users.mia)).toBe(true);
  expect(await listOpen()).toEqual([false, true, true]);
  // The next writer of the triggers gets another link.
  const listShown = () => Promise.all(links.map(({ sessionId }) => listStatusComments(env.DB, sessionId)));
  expect(await listShown()).toMatchObject([[{ shareLink: "wanted" }], [{ shareLink: { slug: links[1]?.slug } }], []]);
});
