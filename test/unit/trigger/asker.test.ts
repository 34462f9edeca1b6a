// Whose mentions, labels and reviews count.
import { expect, test } from "vitest";
import { type AskerFacts, findAsker, isAccessNeeded } from "../../../src/trigger/rules/asker.ts";
import { membersOnly, type Trigger } from "../../../src/trigger/rules/trigger.ts";

const person = { hostUserId: "1", login: "mia", isBot: false };
const bot = { hostUserId: "2", login: "renovate[bot]", isBot: true };
const own = { hostUserId: "3", login: "switchyard[bot]", isBot: true };
const facts = { sender: person, ownLogin: "switchyard[bot]", userId: null, mayPush: true } as const;
const everybody: Trigger["who"] = { members: true, writers: true, bots: ["Renovate[bot]", "switchyard[bot]", "mia"] };

test.each<[string, Partial<AskerFacts>, Trigger["who"], string | null]>([
  ["a member who may push", { userId: "usr_mia" }, membersOnly, "member"],
  ["a member who may read", { userId: "usr_mia", mayPush: false }, everybody, null],
  ["a member, where members do not count", { userId: "usr_mia" }, { ...membersOnly, members: false }, null],
  ["a member, where only writers count", { userId: "usr_mia" }, { ...everybody, members: false }, "other"],
  ["a stranger who may push", {}, membersOnly, null],
  ["a stranger who may push, where writers count", {}, everybody, "other"],
  ["a stranger who may read", { mayPush: false }, everybody, null],
  ["a stranger with the login of a listed program", { mayPush: false }, everybody, null],
  ["a program that is not listed", { sender: bot }, membersOnly, null],
  ["a listed program", { sender: bot, mayPush: false }, everybody, "other"],
  ["a program with a member's account", { sender: bot, userId: "usr_mia" }, membersOnly, null],
  ["the service, even if it is listed", { sender: own }, everybody, null],
  ["the account of the service's token", { ownLogin: "Mia", userId: "usr_mia" }, everybody, null],
])("%s", (_, changes, who, kind) => {
  const all: AskerFacts = { ...facts, ...changes };
  expect(findAsker(all, who)?.kind ?? null).toBe(kind);
  // The code host is not asked about an account that may not ask anyway.
  if (!isAccessNeeded(all, who)) expect(findAsker({ ...all, mayPush: false }, who)?.kind ?? null).toBe(kind);
});
