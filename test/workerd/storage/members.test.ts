// Concurrent changes of members, as the database decides them: a workspace has one owner at every
// moment.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { createInvitation } from "../../../src/workspace/invitations.ts";
import { removeFromWorkspace, transferWorkspace, updateRole } from "../../../src/workspace/members.ts";
import { listMembers, removeMember, saveRole, transferOwnership } from "../../../src/workspace/queries/members.ts";
import { addMember, addUser, addWorkspaceWith } from "../support/people.ts";

let workspaceId: string;
let users: Record<"owner" | "admin" | "member", string>;
beforeEach(async () => {
  ({ workspaceId, users } = await addWorkspaceWith({ owner: "owner", admin: "admin", member: "member" }));
});

const change = (userId: string, byUserId: string) => ({ workspaceId, userId, byUserId, event: null });
const roles = async () =>
  Object.fromEntries((await listMembers(env.DB, workspaceId)).map(({ name, role }) => [name, role]));

test("members are listed by name, with their roles", async () => {
  expect(await listMembers(env.DB, workspaceId)).toEqual(
    (["admin", "member", "owner"] as const).map((name) => ({
      userId: users[name],
      name,
      email: `${users[name]}@example.com`,
      imageUrl: null,
      role: name,
      joinedAt: 0,
    })),
  );
});

test("a transfer makes one the owner and the other an admin", async () => {
  expect(await transferOwnership(env.DB, change(users.member, users.owner))).toBe(true);
  expect(await roles()).toEqual({ owner: "admin", admin: "admin", member: "owner" });
});

test.each<[string, () => Promise<boolean>]>([
  ["a transfer by somebody else", () => transferOwnership(env.DB, change(users.member, users.admin))],
  ["a transfer to a stranger", async () => transferOwnership(env.DB, change(await addUser("stranger"), users.owner))],
  ["a transfer to the owner", () => transferOwnership(env.DB, change(users.owner, users.owner))],
  [
    "another role for the owner",
    () => saveRole(env.DB, change(users.owner, users.admin), { from: "owner", to: "member" }),
  ],
  [
    "another role for oneself",
    () => saveRole(env.DB, change(users.admin, users.admin), { from: "admin", to: "member" }),
  ],
  [
    "another role by a member",
    () => saveRole(env.DB, change(users.admin, users.member), { from: "admin", to: "member" }),
  ],
  ["the owner's removal", () => removeMember(env.DB, change(users.owner, users.admin))],
  ["the owner's leaving", () => removeMember(env.DB, change(users.owner, users.owner))],
  ["a removal by a member", () => removeMember(env.DB, change(users.admin, users.member))],
])("the database refuses %s, whichever check let it through", async (_, attempt) => {
  expect(await attempt()).toBe(false);
  expect(await roles()).toEqual({ owner: "owner", admin: "admin", member: "member" });
});

test("an admin of another workspace cannot change anybody", async () => {
  const elsewhere = await addWorkspaceWith({ boss: "owner" });
  expect(await saveRole(env.DB, change(users.member, elsewhere.users.boss), { from: "member", to: "admin" })).toBe(
    false,
  );
  expect(await removeMember(env.DB, change(users.member, elsewhere.users.boss))).toBe(false);
});

test("of two concurrent transfers, one succeeds", async () => {
  const transfers = [users.admin, users.member].map((to) => transferOwnership(env.DB, change(to, users.owner)));
  expect((await Promise.all(transfers)).sort()).toEqual([false, true]);
  expect(Object.values(await roles()).filter((role) => role === "owner")).toHaveLength(1);
});

test("transfers, removals and leaves in any order leave one owner", async () => {
  const { owner, admin, member } = users;
  const attempts: (() => Promise<boolean>)[] = [
    () => transferOwnership(env.DB, change(admin, owner)),
    () => removeMember(env.DB, change(admin, admin)),
    () => transferOwnership(env.DB, change(member, owner)),
    () => removeMember(env.DB, change(member, admin)),
    () => removeMember(env.DB, change(owner, admin)),
    () => removeMember(env.DB, change(owner, owner)),
    () => saveRole(env.DB, change(owner, admin), { from: "admin", to: "member" }),
    () => transferOwnership(env.DB, change(owner, member)),
    () => transferOwnership(env.DB, change(owner, admin)),
  ];
  for (let round = 0; round < attempts.length; round++) {
    const order = [...attempts.slice(round), ...attempts.slice(0, round)];
    const outcomes = Promise.all(order.map((attempt) => attempt()));
    // Reads in between see one owner, too.
    const seen = await Promise.all(order.map(roles));
    await outcomes;
    for (const one of [...seen, await roles()])
      expect(Object.values(one).filter((role) => role === "owner")).toHaveLength(1);
    ({ workspaceId, users: users } = await addWorkspaceWith({ owner: "owner", admin: "admin", member: "member" }));
  }
});

test("the database refuses a second owner", async () => {
  await expect(addMember(workspaceId, await addUser("usurper"), "owner")).rejects.toThrow(/UNIQUE/);
});

const events = async () => {
  const sql = "SELECT kind, actor_id AS actorId, payload FROM activity WHERE workspace_id = ?1 ORDER BY seq";
  const { results } = await env.DB.prepare(sql).bind(workspaceId).all<Record<string, string>>();
  return results.map(({ payload = "", ...rest }) => ({ ...rest, payload: JSON.parse(payload) }));
};
const as = (id: string) =>
  ({ type: "member", user: { id, name: "U", email: "u@example.com", imageUrl: null }, role: "owner" }) as const;

test("each change records one event, and one without effect none", async () => {
  const command = (userId: string, byUserId: string) => ({ workspaceId, userId, by: as(byUserId) });
  const toMember = command(users.member, users.owner);
  const changes = [
    () => updateRole(env, toMember, "admin", 1),
    () => updateRole(env, toMember, "admin", 2),
    () => updateRole(env, command(users.owner, users.admin), "member", 3),
    () => transferWorkspace(env, toMember, 4),
    () => removeFromWorkspace(env, toMember, 5),
    () => removeFromWorkspace(env, command(users.owner, users.owner), 6),
    () => removeFromWorkspace(env, command(users.owner, users.owner), 7),
  ];
  const outcomes: unknown[] = [];
  for (const change of changes) outcomes.push(await change());
  expect(outcomes.map((outcome) => isRefusal(outcome))).toEqual([false, false, true, false, true, false, true]);
  const [owner, member] = [users.owner, users.member];
  const role = { kind: "member_role_changed", actorId: owner };
  expect(await events()).toEqual([
    { ...role, payload: { userId: member, name: "member", from: "member", to: "admin", transfer: false } },
    { ...role, payload: { userId: member, name: "member", from: "admin", to: "owner", transfer: true } },
    { kind: "member_removed", actorId: owner, payload: { userId: owner, name: "owner", self: true } },
  ]);
});

test("of two concurrent removals, one is recorded", async () => {
  const removal = { workspaceId, userId: users.member, by: as(users.owner) };
  const outcomes = await Promise.all([removeFromWorkspace(env, removal, 1), removeFromWorkspace(env, removal, 1)]);
  expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(1);
  expect(await events()).toHaveLength(1);
});

test("an invitation is recorded, and a refused one is not", async () => {
  const invited = { workspaceId, email: "New@example.com", role: "member", by: as(users.owner) } as const;
  await createInvitation(env, invited, 1);
  await createInvitation(env, { ...invited, email: `${users.admin}@example.com` }, 1);
  const payload = { email: "new@example.com", role: "member" };
  expect(await events()).toEqual([{ kind: "member_invited", actorId: users.owner, payload }]);
});
