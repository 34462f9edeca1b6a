// What an event of the audit log says.
import { describe, expect, it } from "vitest";
import type { CallingActor } from "../../../src/access/rules/actor.ts";
import { toAuditActor, toAuditTarget } from "../../../src/audit/rules/event.ts";

const user = { id: "usr_1", name: "Mia", email: "mia@example.com", imageUrl: null, timezone: "UTC" } as never;

it.each<[string, CallingActor, object]>([
  ["a member", { type: "member", user, role: "member" }, { kind: "member", userId: "usr_1", name: "Mia" }],
  [
    "an agent over MCP",
    { type: "client-agent", user, role: null, client: null },
    { kind: "member", userId: "usr_1", name: "Mia" },
  ],
  ["the Lead", { type: "lead", user, role: "member" }, { kind: "member", userId: "usr_1", name: "Mia" }],
  [
    "an agent that acts for nobody",
    { type: "session-agent", sessionId: "s1", user: null, role: null },
    { kind: "agent", sessionId: "s1", userId: null },
  ],
  [
    "a run",
    { type: "cron-run", cronId: "c1", runId: "r1", user, role: "member", writer: "creator" },
    { kind: "cron", cronId: "c1", runId: "r1", userId: "usr_1" },
  ],
  ["a relay", { type: "relay" }, { kind: "relay" }],
])("%s is its actor", (_, sender, actor) => {
  expect(toAuditActor(sender)).toEqual(actor);
});

describe("the target", () => {
  it.each<[string, Record<string, string>, unknown, Record<string, string>]>([
    ["has the ids of the path", { workspaceId: "w", userId: "u" }, {}, { workspaceId: "w", userId: "u" }],
    ["has the id of what was created", { workspaceId: "w" }, { id: "k", key: "secret" }, { workspaceId: "w", id: "k" }],
    ["has an id within the response", {}, { share: { id: "x", url: "https://x" } }, { id: "x" }],
    ["has no id twice", { projectId: "p" }, { id: "p" }, { projectId: "p" }],
    ["has no token", { token: "secret" }, { id: "w" }, { id: "w" }],
    ["is cut", { provider: "x".repeat(300) }, null, { provider: "x".repeat(200) }],
  ])("%s", (_, params, data, target) => {
    expect(toAuditTarget(params, data)).toEqual(target);
  });
});
