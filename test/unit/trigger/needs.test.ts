// What a trigger lacks at the code host before it can run.
import { describe, expect, test } from "vitest";
import { appEvents, appPermissions } from "../../../operate/github-app/manifest.ts";
import { catalog } from "../../../src/model/catalog.ts";
import { checkModels, type Granted, listLacking } from "../../../src/trigger/rules/needs.ts";
import { type Trigger, toTrigger, triggerEvents } from "../../../src/trigger/rules/trigger.ts";

const whole: Granted = { permissions: appPermissions, events: appEvents };
const without = (permission: string): Granted => {
  const { [permission]: _, ...permissions } = whole.permissions;
  return { ...whole, permissions };
};
const readOnly: Granted = {
  ...whole,
  permissions: { ...appPermissions, issues: "read", pull_requests: "read" },
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
  ["permissions to read", "mention", "link", readOnly, ["issues", "pull_requests"]],
  ["permissions to read", "mention", "none", readOnly, []],
  ["permissions to read", "label", "text", readOnly, ["issues", "pull_requests"]],
  ["permissions to read", "label", "none", readOnly, []],
  ["permissions to read", "assigned", "link", readOnly, ["issues"]],
  ["permissions to read", "pull_request", "link", readOnly, ["pull_requests"]],
  ["permissions to read", "pull_request", "none", readOnly, []],
  ["permissions to read", "review", "link", readOnly, []],
  ["permissions to read", "checks_failed", "link", readOnly, ["pull_requests"]],
  ["permissions to read", "checks_failed", "none", readOnly, []],
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

describe("a trigger's model", () => {
  const [runnable, other] = ["anthropic", "openai"].map(
    (provider) => catalog.find((entry) => entry.provider === provider)?.value ?? "",
  );
  const rule = (id: string, model: string | null | undefined) =>
    toTrigger({ id, do: { model: model ?? null } } as Trigger);
  const facts = { catalog, runnable: new Set(["anthropic"] as const) };

  test.each<[string, Trigger[], Trigger[], string | null]>([
    ["none", [rule("a", null)], [], null],
    ["one that the workspace can run", [rule("a", runnable)], [], null],
    ["one of a provider that is not connected", [rule("a", null), rule("b", other)], [], "triggers.1.do.model"],
    ["one that is not in the catalog", [rule("a", "nope:none")], [], "triggers.0.do.model"],
    ["one that it had before", [rule("a", other)], [rule("a", other)], null],
    ["one that another trigger had", [rule("b", other)], [rule("a", other)], "triggers.0.do.model"],
  ])("%s", (_, triggers, known, field) => {
    const refusal = checkModels(triggers, known, facts);
    expect(refusal && JSON.stringify(refusal)).toEqual(field && expect.stringContaining(field));
  });
});
