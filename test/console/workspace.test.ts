// The rules of a workspace's settings: who may do what, what is sent, and what people read.
import type { Schemas } from "@switchyard/client";
import { expect, test } from "vitest";
import { describeAccess, describeCredential, hasSignIn } from "../../console/src/workspace/access-words.ts";
import { describeActor, describeOperation, describeVia, listTargets } from "../../console/src/workspace/audit-words.ts";
import { listChanges, listTimezones } from "../../console/src/workspace/general-rules.ts";
import { listParts } from "../../console/src/workspace/parts.ts";
import { listMemberRights } from "../../console/src/workspace/roles.ts";
import {
  describeFreeing,
  describeSandboxes,
  describeStopped,
  splitStops,
} from "../../console/src/workspace/sandbox-words.ts";
import {
  changeFile,
  describeSkillRefusal,
  nameNewFile,
  parseFiles,
  removeFile,
} from "../../console/src/workspace/skill-rules.ts";
import {
  describeDelivery,
  describePatterns,
  describeSentAgain,
  describeState,
  describeWaiting,
  findFieldMistake,
  formatBody,
  toChangedFields,
  togglePattern,
} from "../../console/src/workspace/webhook-rules.ts";

const titlesOf = (role: Parameters<typeof listParts>[0]) => listParts(role).map(({ title }) => title);

test("a role is offered the parts that it reads", () => {
  const forAll = ["General", "Members", "Models", "Usage", "Skills", "Sandboxes"];
  expect(titlesOf("member")).toEqual(forAll);
  expect(titlesOf("admin")).toEqual([...forAll.slice(0, 4), "Keys", "Webhooks", ...forAll.slice(4)]);
  expect(titlesOf("owner")).toEqual([...titlesOf("admin"), "Audit log"]);
  expect(titlesOf(null)).toEqual(titlesOf("member"));
});

const rights = { isSelf: false, mayChangeRole: false, mayRemove: false, mayTransfer: false, mayLeave: false };

test.each([
  ["owner", "the owner", { isSelf: true }],
  ["owner", "an admin", { mayChangeRole: true, mayRemove: true, mayTransfer: true }],
  ["owner", "a member", { mayChangeRole: true, mayRemove: true, mayTransfer: true }],
  ["admin", "the owner", {}],
  ["admin", "an admin", { mayChangeRole: true, mayRemove: true }],
  ["admin", "themselves", { isSelf: true, mayLeave: true }],
  ["member", "a member", {}],
  ["member", "themselves", { isSelf: true, mayLeave: true }],
] as const)("as %s, %s", (role, whom, expected) => {
  const isSelf = whom === "themselves" || (role === "owner" && whom === "the owner");
  const theirs = isSelf ? role : whom === "the owner" ? "owner" : whom === "an admin" ? "admin" : "member";
  const member = { userId: isSelf ? "me" : "other", role: theirs } as const;
  expect(listMemberRights({ userId: "me", role }, member)).toEqual({ ...rights, ...expected });
});

test("a form sends only what a person changed", () => {
  const saved = { name: "Acme", slug: "acme", timezone: "UTC", defaultModel: "one" };
  expect(listChanges(saved, {})).toEqual({ fields: null, timezone: null });
  expect(listChanges(saved, { name: " Acme ", timezone: "UTC" })).toEqual({ fields: null, timezone: null });
  expect(listChanges(saved, { name: "Acme 2", defaultModel: null, timezone: "Europe/Berlin" })).toEqual({
    fields: { name: "Acme 2", defaultModel: null },
    timezone: "Europe/Berlin",
  });
});

test("the time zones begin with UTC, and have the present one also where the browser does not know it", () => {
  expect(listTimezones("UTC").slice(0, 1)).toEqual(["UTC"]);
  expect(listTimezones("Mars/Base").slice(0, 2)).toEqual(["UTC", "Mars/Base"]);
  expect(listTimezones("Europe/Berlin").filter((zone) => zone === "Europe/Berlin")).toHaveLength(1);
});

test.each([
  [{ canRun: false, via: null, needsReauth: false }, false, "Nothing is connected."],
  [{ canRun: true, via: "subscription", needsReauth: false }, true, "On your subscription."],
  [{ canRun: true, via: "workspace", needsReauth: false }, true, "On the workspace's credential."],
  [{ canRun: false, via: "workspace", needsReauth: true }, false, "Connect the workspace's credential again."],
  [{ canRun: true, via: "subscription", needsReauth: true }, true, "Connect your subscription again."],
] as const)("a provider with %o", (access, isGood, words) => {
  expect(describeAccess(access)).toEqual({ isGood, words });
});

test("a credential names its key or its account", () => {
  const credential = { kind: "organization", needsReauth: false, authenticatedAt: "2026-01-01T00:00:00Z" } as const;
  const none = { accountEmail: null, maskedApiKey: null };
  const words = [
    null,
    { ...credential, ...none, authMethod: "api_key", maskedApiKey: "sk-a…9" },
    { ...credential, ...none, authMethod: "api_key" },
    { ...credential, ...none, authMethod: "sign_in", accountEmail: "pays@example.com" },
    { ...credential, ...none, authMethod: "sign_in" },
  ] as const;
  expect(words.map(describeCredential)).toEqual([
    "Nothing is connected.",
    "API key sk-a…9",
    "An API key",
    "Signed in as pays@example.com",
    "Signed in",
  ]);
  expect(["anthropic", "openai", "zai", "kimi"].filter(hasSignIn)).toEqual(["anthropic", "openai"]);
});

test.each([
  [["*"], "job.*", ["job.*"]],
  [["job.failed", "cron.created"], "job.*", ["cron.created", "job.*"]],
  [["job.*", "cron.created"], "job.*", ["cron.created"]],
  [[], "job.failed", ["job.failed"]],
  [["cron_run.failed"], "cron.*", ["cron_run.failed", "cron.*"]],
])("of the events %j, a click on %s leaves %j", (chosen, pattern, expected) => {
  expect(togglePattern(chosen, pattern)).toEqual(expected);
});

test.each([
  [{ name: " Chat " }, { name: "Chat" }],
  [
    { url: " https://hooks.example.com/a", events: ["job.*"] },
    { url: "https://hooks.example.com/a", events: ["job.*"] },
  ],
  [
    { projects: null, includeText: true },
    { projects: null, includeText: true },
  ],
])("of a webhook where a person changed %j, nothing else is sent", (typed, sent) => {
  expect(toChangedFields(typed)).toEqual(sent);
});

test("the events of a webhook are one line", () => {
  expect(describePatterns(["job.failed", "*"])).toBe("Everything");
  expect(describePatterns(["member.joined", "job.*", "member.invited"])).toBe("Turns, Members (invited, joined)");
});

test.each([
  [{ status: "active", disabledReason: null }, "good", "active"],
  [{ status: "failing", disabledReason: null }, "bad", "the last attempt failed"],
  [{ status: "disabled", disabledReason: "by_hand" }, "quiet", "disabled by hand"],
  [{ status: "disabled", disabledReason: "gone" }, "bad", "disabled: it answered that it is gone (410)"],
] as const)("a webhook with %o", (webhook, tone, word) => {
  expect(describeState(webhook)).toEqual({ tone, word });
});

test.each([
  [{ status: "succeeded", answerStatus: 204, attempts: 1 }, "good", "answer 204"],
  [{ status: "succeeded", answerStatus: 200, attempts: 3 }, "good", "answer 200, 3 attempts"],
  [{ status: "failed", answerStatus: null, attempts: 10 }, "bad", "failed, no answer, 10 attempts"],
  [{ status: "dropped", answerStatus: null, attempts: 0 }, "bad", "dropped, because the webhook was disabled"],
  [{ status: "waiting", answerStatus: null, attempts: 0 }, "quiet", "waits"],
  [{ status: "waiting", answerStatus: 500, attempts: 1 }, "quiet", "waits, answer 500"],
] as const)("a delivery with %o", (delivery, tone, word) => {
  expect(describeDelivery(delivery)).toEqual({ tone, word });
});

test("what is sent again is counted, and nothing has its reason", () => {
  expect([0, 1, 2].map(describeSentAgain)).toEqual([
    "Nothing to send again: tests are not repeated.",
    "1 delivery is sent again.",
    "2 deliveries are sent again.",
  ]);
});

test.each([
  ["url names a host, not an IP address.", { field: "url", sentence: "The address names a host, not an IP address." }],
  ["events.0 is no event.", { field: "events", sentence: "One of the events is no event." }],
  ["name has at most 100 characters.", { field: "name", sentence: "The name has at most 100 characters." }],
  ["A workspace has at most 20 webhooks.", null],
])("the refusal %s has its field", (message, expected) => {
  expect(findFieldMistake(message)).toEqual(expected);
});

test("a body of JSON gets line breaks, and any other text stays", () => {
  expect(formatBody('{"type":"webhook.test"}')).toBe('{\n  "type": "webhook.test"\n}');
  expect(formatBody("{broken")).toBe("{broken");
});

const limit = { runningSessions: [], maxConcurrentSandboxes: 20, maxSandboxesOfOwner: null, sandboxesOfOwner: null };
const session = { sessionId: "s", title: "T", projectName: "P", branch: null };

test.each([
  [limit, ["0 of 20 run now."]],
  [
    { ...limit, runningSessions: [session], maxConcurrentSandboxes: 3, maxSandboxesOfOwner: 6, sandboxesOfOwner: 4 },
    ["1 of 3 run now.", "4 of 6 run in all free workspaces of the owner."],
  ],
  [{ ...limit, maxConcurrentSandboxes: null }, ["None runs now. There is no limit."]],
  [{ ...limit, maxConcurrentSandboxes: null, runningSessions: [session, session] }, ["2 run now. There is no limit."]],
])("the sandboxes %#", (given, sentences) => {
  expect(describeSandboxes(given)).toEqual(sentences);
});

test.each<[Partial<Schemas["SandboxLimit"]>, RegExp]>([
  [{ runningSessions: [session], maxSandboxesOfOwner: 2, sandboxesOfOwner: 2 }, /^Stop one of these/],
  [{ maxSandboxesOfOwner: 2, sandboxesOfOwner: 2 }, /in other workspaces of the owner/],
  [{ maxSandboxesOfOwner: 2, sandboxesOfOwner: 1 }, /^A place is free/],
  [{}, /^A place is free/],
])("where no more may run, a person reads what frees a place: %#", (given, sentence) => {
  expect(describeFreeing({ ...limit, ...given })).toMatch(sentence);
});

test("a stop says what it did, and takes many sessions in several calls", () => {
  expect(describeStopped([true])).toBe("The sandbox is stopped.");
  expect(describeStopped([true, true])).toBe("2 sandboxes are stopped.");
  expect(describeStopped([false])).toMatch(/^The sandbox was not stopped/);
  expect(describeStopped([true, false])).toMatch(/^1 of 2 sandboxes are stopped/);
  const ids = Array.from({ length: 101 }, (_, index) => String(index));
  expect(splitStops(ids).map(({ length }) => length)).toEqual([50, 50, 1]);
  expect(splitStops([])).toEqual([]);
});

test("the files of a skill are changed, named and kept", () => {
  const files = [
    { path: "SKILL.md", content: "a" },
    { path: "notes.md", content: "b" },
  ];
  expect(changeFile(files, 1, { content: "c" })[1]).toEqual({ path: "notes.md", content: "c" });
  expect(removeFile(files, 1)).toEqual(files.slice(0, 1));
  expect(nameNewFile(files)).toBe("notes-2.md");
  expect(nameNewFile([])).toBe("notes.md");
  expect(parseFiles(JSON.stringify(files))).toEqual(files);
  expect(["", "[]", "{}"].map(parseFiles)).toEqual([null, null, null]);
});

test.each([
  ["files.0.content has a mistake in SKILL.md: its name is missing.", "SKILL.md has a mistake: its name is missing."],
  ["files.1.path is absolute.", "The path “/notes.md” is absolute."],
  ["files.1.content is not text.", "/notes.md is not text."],
  ["files lack SKILL.md at the root of the skill.", "The files lack SKILL.md at the root of the skill."],
  ["A skill of this name exists already.", "A skill of this name exists already."],
])("the refusal %s names a file", (message, sentence) => {
  const files = ["SKILL.md", "/notes.md"].map((path) => ({ path, content: "" }));
  expect(describeSkillRefusal(message, files)).toBe(sentence);
});

test("an event of the audit log is a sentence", () => {
  expect(describeOperation("removeMember")).toBe("removed a member");
  expect(describeOperation("agent.ship")).toBe("merged a pull request");
  expect(describeOperation("operator.new-command")).toBe("ran new-command");
  expect(describeOperation("toString")).toBe("ran toString");
  expect(describeActor({ kind: "member", userId: "u", name: "Mia" })).toBe("Mia");
  expect(describeActor({ kind: "cron", cronId: "c", runId: "r", userId: null })).toBe("A cron");
  expect(describeVia("api-key")).toBe("with an API key");
  expect(listTargets({ workspaceId: "w", userId: "u", id: "new" }, "w")).toEqual([
    ["user", "u"],
    ["made", "new"],
  ]);
});

test("the events that wait for a webhook are counted in words", () => {
  expect([1, 252].map(describeWaiting)).toEqual(["1 event waits", "252 events wait"]);
});
