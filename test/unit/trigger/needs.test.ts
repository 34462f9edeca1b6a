// What a trigger lacks at the code host before it can run.
import { expect, test } from "vitest";
import { appEvents, appPermissions } from "../../../operate/github-app/manifest.ts";
import { type Granted, listLacking } from "../../../src/trigger/rules/needs.ts";
import { type Trigger, triggerEvents } from "../../../src/trigger/rules/trigger.ts";

const whole: Granted = { permissions: appPermissions, events: appEvents };
const without = (permission: string): Granted => {
  const { [permission]: _, ...permissions } = whole.permissions;
  return { ...whole, permissions };
};

test("an App of the manifest lacks nothing", () => {
  for (const on of triggerEvents)
    expect(listLacking({ on, answer: "link" }, { granted: whole, receivesEvents: true })).toEqual([]);
});

test.each<[string, Trigger["on"], Trigger["answer"], Granted | null, string[]]>([
  ["issues that are not granted", "label", "link", without("issues"), ["issues"]],
  ["issues that are not granted", "mention", "link", without("issues"), ["issues"]],
  ["pull requests that are not granted", "review", "link", without("pull_requests"), ["pull_requests"]],
  ["pull requests that are not granted", "pull_request", "link", without("pull_requests"), ["pull_requests"]],
  ["checks that are not granted", "checks_failed", "link", without("checks"), ["checks"]],
  ["issues that are not granted", "http", "link", without("issues"), []],
  ["issues that are not granted", "review", "link", without("issues"), []],
  ["events that are not sent", "mention", "link", { ...whole, events: ["issue_comment"] }, reviewEvents()],
  ["issues to read", "mention", "link", { ...whole, permissions: { ...appPermissions, issues: "read" } }, ["issues"]],
  ["issues to read", "mention", "none", { ...whole, permissions: { ...appPermissions, issues: "read" } }, []],
  ["issues to read", "label", "link", { ...whole, permissions: { ...appPermissions, issues: "read" } }, []],
  ["what the code host does not say", "mention", "link", null, []],
])("%s: a trigger for %s that answers by %s", (_, on, answer, granted, lacking) => {
  expect(listLacking({ on, answer }, { granted, receivesEvents: true })).toEqual(lacking);
});

test("a service without a webhook secret receives only calls", () => {
  const facts = { granted: whole, receivesEvents: false };
  expect(listLacking({ on: "label", answer: "link" }, facts)).toEqual(["webhooks"]);
  expect(listLacking({ on: "http", answer: "link" }, facts)).toEqual([]);
});

function reviewEvents() {
  return ["pull_request_review", "pull_request_review_comment"];
}
