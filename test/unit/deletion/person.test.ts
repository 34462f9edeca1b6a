// What names a deleted person in stored values, and what replaces it.
import { expect, it, test } from "vitest";
import { checkOwnedWorkspaces } from "../../../src/deletion/rules/owned-workspaces.ts";
import { deletePersonFromJson, getDeletedAddress } from "../../../src/deletion/rules/person.ts";
import { getSubscriptionTrouble } from "../../../src/provider-login/rules/trouble.ts";

const person = {
  id: "usr_1",
  names: ["Ada"],
  addresses: ["ada@example.com", "1+ada@users.noreply.example.com"],
  login: "ada",
};
const address = getDeletedAddress("usr_1");
const ada = { kind: "member", userId: "usr_1", name: "Ada", email: "ada@example.com", imageUrl: "https://p.test/1" };
const forgotten = { kind: "member", userId: "usr_1", name: "Deleted user", email: address, imageUrl: null };
const mia = { kind: "member", userId: "usr_2", name: "Ada", email: "mia@example.com", imageUrl: null };

it.each<[string, unknown, unknown]>([
  ["the author of a message", { author: ada, content: "I am Ada" }, { author: forgotten, content: "I am Ada" }],
  ["somebody else of the same name", { author: mia }, { author: mia }],
  ["an Assignee in a list", [{ assignee: ada }, { assignee: null }], [{ assignee: forgotten }, { assignee: null }]],
  [
    "an actor of a stored effect",
    { by: { type: "member", user: { id: "usr_1", name: "Ada", email: "Ada@example.com", imageUrl: null } } },
    { by: { type: "member", user: { id: "usr_1", name: "Deleted user", email: address, imageUrl: null } } },
  ],
  ["an invited address, in any case", { email: "ADA@example.com" }, { email: address }],
  ["the address of their commits", ["1+ada@users.noreply.example.com"], [address]],
  [
    "a login",
    { mergedBy: { login: "Ada", userId: null, name: null } },
    { mergedBy: { login: "Deleted user", userId: null, name: null } },
  ],
  ["the account of a sign-in", { target: { account: "Ada" } }, { target: { account: "Deleted user" } }],
  ["a sentence of the service", { content: "Ada started a Deploy." }, { content: "Deleted user started a Deploy." }],
  [
    "a sentence of somebody",
    { content: "Ada started a Deploy. I saw it." },
    { content: "Ada started a Deploy. I saw it." },
  ],
  ["another login", { login: "adam" }, { login: "adam" }],
  [
    "the caller's address of an audit event",
    { actor: { kind: "member", userId: "usr_1", name: "Ada" }, address: "192.0.2.1", target: { login: "ada" } },
    {
      actor: { kind: "member", userId: "usr_1", name: "Deleted user" },
      address: null,
      target: { login: "Deleted user" },
    },
  ],
  [
    "another caller's",
    { actor: { userId: "usr_2" }, address: "192.0.2.1" },
    { actor: { userId: "usr_2" }, address: "192.0.2.1" },
  ],
  [
    "an event of the feed",
    { actorId: "usr_1", actorName: "Ada", actorImageUrl: "x", payload: { userId: "usr_1", name: "Ada", to: "admin" } },
    {
      actorId: "usr_1",
      actorName: "Deleted user",
      actorImageUrl: null,
      payload: { userId: "usr_1", name: "Deleted user", to: "admin" },
    },
  ],
  [
    "a cron in an event of its workspace",
    { cron: { name: "Ada", createdBy: "usr_1", createdByName: "Ada" } },
    { cron: { name: "Ada", createdBy: "usr_1", createdByName: "Deleted user" } },
  ],
  [
    "a cron of somebody else",
    { cron: { createdBy: "usr_2", createdByName: "Ada" } },
    { cron: { createdBy: "usr_2", createdByName: "Ada" } },
  ],
  ["a key of theirs keeps its name", { id: "usr_1", name: "CI" }, { id: "usr_1", name: "CI" }],
])("%s", (_, stored, expected) => {
  const after = deletePersonFromJson(stored, person);
  expect(after).toEqual(expected);
  expect(deletePersonFromJson(after, person)).toBe(after);
});

test("a value that names somebody else only is returned itself", () => {
  const value = { messages: [{ author: mia }], count: 1, isThere: true, none: null };
  expect(deletePersonFromJson(value, person)).toBe(value);
});

const workspace = (slug: string, isOwner: boolean, others: number) => ({
  workspaceId: `ws_${slug}`,
  slug,
  isOwner,
  others,
});

it.each<[string, Parameters<typeof checkOwnedWorkspaces>, RegExp | null]>([
  ["no workspace", [[], false], null],
  ["a member of some", [[workspace("trains", false, 3)], false], null],
  ["the only member of one", [[workspace("own", true, 0)], false], /own \(ws_own\).*--with-workspaces/],
  ["the only member, whose workspaces go", [[workspace("own", true, 0)], true], null],
  [
    "the owner of one with others",
    [[workspace("own", true, 0), workspace("team", true, 2)], true],
    /: team \(ws_team\)\. .*transfer-ownership/,
  ],
])("%s", (_, [memberships, withWorkspaces], refused) => {
  const refusal = checkOwnedWorkspaces(memberships, withWorkspaces);
  if (refused === null) expect(refusal).toBeNull();
  else expect(refusal).toMatchObject({ code: "CONFLICT", message: expect.stringMatching(refused) });
});

const login = { needsReauth: false, exhaustedUntil: null, place: 0 };

it.each([
  { isMember: false, logins: [] },
  { isMember: true, logins: [] },
  { isMember: true, logins: [{ ...login, needsReauth: true }] },
  { isMember: true, logins: [{ ...login, exhaustedUntil: 90_000_000 }] },
])("the error of a turn on their subscription names them no longer: %j", (facts) => {
  const subscription = { providerName: "Anthropic", person: "Ada (Ops)", ...facts };
  const { message } = getSubscriptionTrouble(subscription, 0);
  expect(message).toContain("Ada (Ops)");
  const named = { ...person, names: ["Ada (Ops)"] };
  expect(deletePersonFromJson({ error: message }, named)).toEqual({
    error: getSubscriptionTrouble({ ...subscription, person: "Deleted user" }, 0).message,
  });
});
