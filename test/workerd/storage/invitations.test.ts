// Invitations: one for each address, accepted once, also by concurrent requests.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createId } from "../../../src/lib/ids.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { toJoinedEvent } from "../../../src/webhook/rules/member-events.ts";
import { acceptInvitation, createInvitation, createInvitationToken } from "../../../src/workspace/invitations.ts";
import {
  deleteInvitation,
  type Invitation,
  acceptInvitation as join,
  listInvitations,
} from "../../../src/workspace/queries/invitations.ts";
import { findMember, type MemberChange, removeMember, saveRole } from "../../../src/workspace/queries/members.ts";
import { addUser, addWorkspaceWith } from "../support/people.ts";

const day = 86_400_000;
let workspaceId: string;
let users: Record<"owner" | "admin", string>;
let guest: string;
const now = Date.now();
beforeEach(async () => {
  ({ workspaceId, users } = await addWorkspaceWith({ owner: "owner", admin: "admin" }));
  guest = await addUser("guest");
});

const createUser = (id: string) => ({ id, name: "U", email: `${id}@example.com`, imageUrl: null });

function inviteAs(byUserId: string, email = `${guest}@example.com`, at = now) {
  const by = { type: "member", user: createUser(byUserId), role: "admin" } as const;
  return createInvitation(env, { workspaceId, email, role: "member", by }, at);
}

async function invited(byUserId = users.owner, email?: string, at?: number): Promise<Invitation> {
  const invitation = await inviteAs(byUserId, email, at);
  if (isRefusal(invitation)) throw new Error(invitation.message);
  return invitation;
}

async function accept(invitation: Invitation, userId = guest, at = now + 1) {
  return await acceptInvitation(env, await createInvitationToken(env, invitation), createUser(userId), at);
}

const open = (at = now) => listInvitations(env.DB, workspaceId, at);
const over = { code: "NOT_FOUND" };

test("a user who accepts is a member with the offered role, and the invitation ends", async () => {
  const invitation = await invited();
  expect(await accept(invitation)).toBe(workspaceId);
  expect(await findMember(env.DB, workspaceId, guest)).toMatchObject({ role: "member", joinedAt: now + 1 });
  expect(await open()).toEqual([]);
  expect(await accept(invitation)).toMatchObject(over);
});

test("earlier events are not New to a new member, and later ones are", async () => {
  const invitation = await invited();
  await accept(invitation);
  await invited(users.admin, "later@example.com");
  const isNew = `SELECT a.seq > s.seq AS isNew FROM activity a JOIN seen_marks s ON s.workspace_id = a.workspace_id AND s.user_id = ?1
    WHERE a.workspace_id = ?2 ORDER BY a.seq`;
  const found = await env.DB.prepare(isNew).bind(guest, workspaceId).all();
  expect(found.results).toEqual([{ isNew: 0 }, { isNew: 1 }]);
});

test.each<[how: string, change: (change: MemberChange) => Promise<boolean>]>([
  ["is removed", (change) => removeMember(env.DB, change)],
  ["becomes a member", (change) => saveRole(env.DB, change, { from: "admin", to: "member" })],
])("the invitations of an admin who %s end, and no others", async (_, change) => {
  const theirs = await invited(users.admin);
  const kept = await invited(users.owner, "kept@example.com");
  expect(await change({ workspaceId, userId: users.admin, byUserId: users.owner, event: null })).toBe(true);
  expect(await open()).toEqual([kept]);
  expect(await accept(theirs)).toMatchObject(over);
});

test("of two concurrent accepts one succeeds", async () => {
  const invitation = await invited();
  const answers = await Promise.all([accept(invitation), accept(invitation)]);
  expect(answers.filter((answer) => answer === workspaceId)).toHaveLength(1);
  expect(answers.filter(isRefusal)).toMatchObject([over]);
});

test("a second invitation of an address replaces the first and its token", async () => {
  const first = await invited();
  const second = await invited(users.admin, `${guest.toUpperCase()}@EXAMPLE.com`);
  expect(await open()).toEqual([second]);
  expect(await accept(first)).toMatchObject(over);
  expect(await accept(second)).toBe(workspaceId);
});

test("of many concurrent invitations of an address, one is left", async () => {
  const made = await Promise.all([1, 2, 3, 4].map(() => invited()));
  const standing = await open();
  expect(standing).toHaveLength(1);
  const accepted = await Promise.all(made.map((invitation) => accept(invitation)));
  expect(accepted.filter((answer) => answer === workspaceId)).toHaveLength(1);
});

test("a deleted or expired invitation cannot be accepted", async () => {
  const deleted = await invited();
  expect(await deleteInvitation(env.DB, deleted)).toBe(true);
  expect(await deleteInvitation(env.DB, deleted)).toBe(false);
  expect(await accept(deleted)).toMatchObject(over);
  const expired = await invited(users.owner, undefined, now - 7 * day);
  expect(await open()).toEqual([]);
  expect(await accept(expired)).toMatchObject(over);
  const lasting = await invited(users.owner, undefined, now - 7 * day + 2);
  expect(await accept(lasting)).toBe(workspaceId);
});

test("another user is refused, and the invitation does not change", async () => {
  const invitation = await invited();
  const answer = await accept(invitation, await addUser("thief"));
  expect(answer).toMatchObject({ code: "FORBIDDEN" });
  expect(JSON.stringify(answer)).not.toContain("@");
  expect(await accept(invitation)).toBe(workspaceId);
});

test("a token of another workspace, or an invalid one, finds nothing", async () => {
  const invitation = await invited();
  const elsewhere = await addWorkspaceWith({ boss: "owner" });
  expect(await accept({ ...invitation, workspaceId: elsewhere.workspaceId })).toMatchObject(over);
  const token = await createInvitationToken(env, invitation);
  for (const wrong of ["", "x", `${token}x`, `A${token}`])
    expect(await acceptInvitation(env, wrong, createUser(guest), now)).toMatchObject(over);
});

test("a member's address cannot be invited, in upper or lower case", async () => {
  const email = `${users.admin.toUpperCase()}@Example.com`;
  expect(await inviteAs(users.owner, email)).toMatchObject({ code: "CONFLICT" });
});

test("a former admin cannot invite", async () => {
  const change = { workspaceId, userId: users.admin, byUserId: users.owner, event: null };
  expect(await removeMember(env.DB, change)).toBe(true);
  expect(isRefusal(await inviteAs(users.admin))).toBe(true);
  expect(await open()).toEqual([]);
});

test("at most 500 are open; expired ones and one with the same address do not count", async () => {
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
     INSERT INTO invitations (id, workspace_id, email, role, created_at, expires_at)
     SELECT ?1 || i, ?1, i || '@example.com', 'member', 0, ?2 FROM n`,
  )
    .bind(workspaceId, now + 1)
    .run();
  expect(await inviteAs(users.owner)).toMatchObject({ code: "BAD_REQUEST" });
  expect(await invited(users.owner, "7@example.com")).toMatchObject({ email: "7@example.com" });
  expect(await open()).toHaveLength(500);
  expect(await inviteAs(users.owner, undefined, now + 1)).not.toHaveProperty("code");
  expect(await open(now + 1)).toHaveLength(2);
});

test("concurrent invitations do not exceed the limit", async () => {
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 498)
     INSERT INTO invitations (id, workspace_id, email, role, created_at, expires_at)
     SELECT ?1 || i, ?1, i || '@example.com', 'member', 0, ?2 FROM n`,
  )
    .bind(workspaceId, now + 1)
    .run();
  await Promise.all(["a", "b", "c", "d", "e"].map((name) => inviteAs(users.owner, `${name}@example.com`)));
  expect(await open()).toHaveLength(500);
});

test("a suspended workspace takes nobody in, and an invitation is open again when it is resumed", async () => {
  const invitation = await invited();
  const setSuspended = (at: number | null) =>
    env.DB.prepare("UPDATE workspaces SET suspended_at = ?2 WHERE id = ?1").bind(workspaceId, at).run();
  const { id } = invitation;
  const joining = toJoinedEvent(createId(now), { workspaceId, userId: guest }, now);
  await setSuspended(now);
  expect(await accept(invitation)).toMatchObject(over);
  // The suspension may come between the two reads of an accept.
  expect(await join(env.DB, { workspaceId, id }, { userId: guest, joining }, now + 1)).toBe(false);
  expect(await findMember(env.DB, workspaceId, guest)).toBeNull();
  await setSuspended(null);
  expect(await accept(invitation)).toBe(workspaceId);
});
