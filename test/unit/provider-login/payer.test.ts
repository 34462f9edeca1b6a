// Who pays, as a table of every fact that decides it.
import { expect, it } from "vitest";
import { type Actor, service } from "../../../src/access/rules/actor.ts";
import {
  findPerson,
  findSubscriber,
  listRunnableProviders,
  type SessionParties,
  toPayer,
} from "../../../src/provider-login/rules/payer.ts";

const user = { id: "usr_sam", name: "Sam", email: "sam@example.com", imageUrl: null };
const sam: Actor = { type: "member", user, role: "member" };
const lead: Actor = { type: "lead", user, role: "member" };
const clientAgent: Actor = { type: "client-agent", user, role: "member", client: null };
const agentForSam: Actor = { type: "session-agent", sessionId: "s", user, role: "member" };
const relay: Actor = { type: "relay" };
const mia: SessionParties["assignee"] = { kind: "member", userId: "usr_mia" };
const byCron = { kind: "cron" };

// biome-ignore format: a table is read by its columns.
it.each<[string, SessionParties["assignee"], SessionParties["filedBy"], Actor | null, string | null]>([
  // the session                         Assignee             filed by            sender       runs
  // on the subscriptions of
  ["a member's",                         mia,                 null,               null,        "usr_mia"],
  ["a member's, sent to by another",     mia,                 null,               sam,         "usr_mia"],
  ["filed by a relay",                   mia,                 { kind: "relay" },  sam,         null],
  ["filed by a relay, unassigned",       null,                { kind: "relay" },  sam,         null],
  ["assigned to the service",            { kind: "service" }, byCron,             sam,         null],
  ["a cron's that a member took",        mia,                 byCron,             null,        "usr_mia"],
  ["filed by an agent for its Assignee", mia,                 { kind: "session" }, null,       "usr_mia"],
  ["unassigned, sent to by a member",    null,                null,               sam,         "usr_sam"],
  ["unassigned, sent to by the Lead",    null,                null,               lead,        "usr_sam"],
  ["unassigned, sent to over MCP",       null,                null,               clientAgent, "usr_sam"],
  ["unassigned, sent to by an agent",    null,                null,               agentForSam, null],
  ["unassigned, sent to by a relay",     null,                null,               relay,       null],
  ["unassigned, in the service's name",  null,                null,               service,     null],
  ["unassigned",                         null,                null,               null,        null],
])("a session %s", (_, assignee, filedBy, sender, subscriber) => {
  expect(findSubscriber({ assignee, filedBy }, sender)).toBe(subscriber);
});

it("a default model is its Assignee's also in a session that the workspace pays for", () => {
  expect([findPerson(mia, sam), findPerson(null, sam), findPerson({ kind: "service" }, sam)]).toEqual([
    "usr_mia",
    "usr_sam",
    null,
  ]);
});

it.each([
  ["holds a login", "usr_mia", true, { type: "member", userId: "usr_mia" }],
  ["holds none, or has left", "usr_mia", false, { type: "workspace" }],
  ["is nobody", null, false, { type: "workspace" }],
])("%s: who pays", (_, subscriber, holds, payer) => {
  expect(toPayer(subscriber, holds)).toEqual(payer);
});

it.each([
  ["nobody's subscription", null, ["anthropic"]],
  ["no login", { providers: [] }, ["anthropic"]],
  ["a usable login", { providers: [{ provider: "zai" as const, isUsable: true }] }, ["anthropic", "zai"]],
  ["logins that all need reconnecting", { providers: [{ provider: "anthropic" as const, isUsable: false }] }, []],
])("with %s, the models of a usable login run, otherwise the workspace's", (_, subscriber, runnable) => {
  expect([...listRunnableProviders(subscriber, ["anthropic"])]).toEqual(runnable);
});
