import { expect, it } from "vitest";
import { service } from "../../../src/access/rules/actor.ts";
import { type MembershipChange, toMembershipEvent } from "../../../src/workspace/rules/activity-events.ts";

const user = { id: "usr_1", name: "Olive", email: "olive@example.com", imageUrl: null };
const by = { type: "member", user, role: "owner" } as const;
const mia = { userId: "usr_2", name: "Mia" };
const olive = { userId: "usr_1", name: "Olive" };

it.each<[MembershipChange, string, Record<string, unknown>]>([
  [
    { type: "invited", email: "a@example.com", role: "admin" },
    "member_invited",
    { email: "a@example.com", role: "admin" },
  ],
  [{ type: "removed", member: mia }, "member_removed", { ...mia, self: false }],
  [{ type: "removed", member: olive }, "member_removed", { ...olive, self: true }],
  [
    { type: "role-changed", member: mia, from: "member", to: "admin", isTransfer: false },
    "member_role_changed",
    { ...mia, from: "member", to: "admin", transfer: false },
  ],
  [
    { type: "role-changed", member: mia, from: "admin", to: "owner", isTransfer: true },
    "member_role_changed",
    { ...mia, from: "admin", to: "owner", transfer: true },
  ],
])("%j is recorded as %s", (change, kind, payload) => {
  expect(toMembershipEvent("ws_1", change, by)).toEqual({
    kind,
    payload,
    workspaceId: "ws_1",
    projectId: null,
    sessionId: null,
    subject: null,
    doer: { userId: "usr_1", source: null },
    once: null,
  });
});

it("an action of the service is not a Member Action", () => {
  expect(toMembershipEvent("ws_1", { type: "removed", member: mia }, service)).toBeNull();
});
