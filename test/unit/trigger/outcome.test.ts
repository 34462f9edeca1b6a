// Whether failed checks send a message to their session (decisions, "Triggers").

import { expect, test } from "vitest";
import type { LabeledIssue } from "../../../src/code-host/rules/webhook.ts";
import { type RefusalCode, refusals, refuse } from "../../../src/rules/refusal.ts";
import { noCredential } from "../../../src/session/rules/automatic.ts";
import type { Session } from "../../../src/session/rules/session.ts";
import {
  isForChecks,
  isForIssue,
  isForLabel,
  isForMention,
  isForPullRequest,
  isForReview,
} from "../../../src/trigger/rules/match.ts";
import { findBrokenOffEnd, findRefusedReason, findSkipReason, isWaiting } from "../../../src/trigger/rules/outcome.ts";
import { findCheckNames } from "../../../src/trigger/rules/trial.ts";
import {
  findMisfit,
  getUsualAnswer,
  type Trigger,
  toTrigger,
  triggerEvents,
} from "../../../src/trigger/rules/trigger.ts";
import { sessionState } from "../../support/session-state.ts";
import { usualTrigger } from "../../support/trigger.ts";

const trigger: Trigger = {
  ...usualTrigger,
  ...{ id: "trigger-1", name: "Fix failed checks", on: "checks_failed" },
};
const resuming: Trigger = { ...trigger, do: { ...trigger.do, underReview: "resume" } };
const after = (attempts: number) => ({ automatic: { attempts, review: null } });
const failed = { isOurs: true, failed: ["lint"] };

test.each<[string, Partial<Session>, Trigger, { isOurs: boolean; failed: string[] }, string | null]>([
  ["an Active session", {}, trigger, failed, null],
  ["after two attempts", after(2), trigger, failed, null],
  ["after three attempts", after(3), trigger, failed, "cap_attempts"],
  ["a commit of somebody else", {}, trigger, { ...failed, isOurs: false }, "not_ours"],
  ["checks that fail on the base too", {}, trigger, { ...failed, failed: [] }, "base_fails"],
  ["a session Under Review", { status: "under-review" }, trigger, failed, "under_review"],
  ["a session Under Review that may resume", { status: "under-review" }, resuming, failed, null],
  [
    "a session Under Review, after three attempts",
    { status: "under-review", ...after(3) },
    resuming,
    failed,
    "cap_attempts",
  ],
  ["a completed session", { status: "completed" }, resuming, failed, "ended"],
  [
    "a session whose repairs are off",
    { automatic: { attempts: 0, review: null, isOff: true } },
    trigger,
    failed,
    "off",
  ],
  ["an archived session", { status: "archived" }, resuming, failed, "ended"],
])("%s", (_, session, rule, facts, reason) => {
  expect(findSkipReason(sessionState({ session }).session, rule, facts)).toBe(reason);
});

test.each<[string, Partial<Trigger>, boolean]>([
  ["without filters", {}, true],
  ["that is disabled", { enabled: false }, false],
  ["for this branch", { when: { ...trigger.when, branches: ["main", "svc/*"] } }, true],
  ["for another branch", { when: { ...trigger.when, branches: ["main"] } }, false],
  ["for one of the checks", { when: { ...trigger.when, checks: ["*test*"] } }, true],
  ["for another check", { when: { ...trigger.when, checks: ["deploy"] } }, false],
  ["for the branch and another check", { when: { ...trigger.when, branches: ["svc/*"], checks: ["deploy"] } }, false],
])("a trigger %s: %s", (_, changes, matches) => {
  expect(isForChecks({ ...trigger, ...changes }, "svc/fix", ["lint", "unit test"])).toBe(matches);
});

test.each<[string, Partial<Trigger>, boolean]>([
  ["without filters", {}, true],
  ["that is disabled", { enabled: false }, false],
  ["for failed checks", { on: "checks_failed" }, false],
  ["for this branch", { when: { ...trigger.when, branches: ["svc/*"] } }, true],
  ["for another branch", { when: { ...trigger.when, branches: ["main"] } }, false],
  ["for such reviews", { when: { ...trigger.when, reviews: ["changes_requested"] } }, true],
  ["for other reviews", { when: { ...trigger.when, reviews: ["commented"] } }, false],
  ["for reviews of members", { when: { ...trigger.when, associations: ["owner", "member"] } }, true],
  ["for reviews of owners", { when: { ...trigger.when, associations: ["owner"] } }, false],
])("a trigger %s is for a review that asks for changes: %s", (_, changes, matches) => {
  expect(
    isForReview({ ...trigger, on: "review", ...changes }, "svc/fix", {
      state: "changes_requested",
      association: "MEMBER",
    }),
  ).toBe(matches);
});

const ofCode: Partial<Record<RefusalCode, string>> = {
  ...{ QUEUE_FULL: "queue_full", CREDIT_LIMIT_REACHED: "cap_spend", CONFLICT: "cap_attempts" },
  SESSION_UNDER_REVIEW: "under_review",
};
/** The codes of something that passes: a repeat can succeed. */
const passing: RefusalCode[] = [
  ...(["JOB_IN_PROGRESS", "JOB_ACTIVE", "COMMAND_IN_FLIGHT", "CRON_RUN_STARTING"] as const),
  ...(["SESSION_UPDATING", "SESSION_STATUS_CHANGED", "SESSION_CHANGED", "DEPLOY_ACTIVE"] as const),
  ...(["SANDBOX_LIMIT_REACHED", "SANDBOX_STARTING"] as const),
  ...(["TOO_MANY_REQUESTS", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"] as const),
];
/** A new code belongs here, or above. */
const final: RefusalCode[] = [
  ...(["VALIDATION_ERROR", "BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "METHOD_NOT_ALLOWED"] as const),
  ...(["FILE_CHANGED", "JOB_STOPPED", "JOB_STOPPED_TEXT_RETURNED", "QUEUED_MESSAGE_CHANGED"] as const),
  ...(["QUEUED_MESSAGE_GONE", "STEER_UNAVAILABLE", "DEPLOY_RESUME_UNAVAILABLE", "NOT_DEPLOYED"] as const),
  ...(["SKILL_NAME_TAKEN", "PROVIDER_LOGIN_DUPLICATE", "PROVIDER_LOGIN_LIMIT", "IDEMPOTENCY_KEY_REUSED"] as const),
  ...(["GONE", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const),
];

test("every code of a refusal ends a run, or has its message sent again for three days", () => {
  const expected = {
    ...Object.fromEntries(passing.map((code) => [code, null])),
    ...Object.fromEntries(final.map((code) => [code, "refused"])),
    ...ofCode,
  };
  const codes = Object.keys(refusals) as RefusalCode[];
  const found = (waitedMs: number) =>
    Object.fromEntries(codes.map((code) => [code, findRefusedReason(refuse(code), waitedMs)]));
  const threeDays = 3 * 24 * 3_600_000;
  expect(found(threeDays - 1)).toEqual(expected);
  expect(found(threeDays)).toEqual({ ...expected, ...Object.fromEntries(passing.map((code) => [code, "refused"])) });
});

test("a message that is sent again waits, unless the service failed", () => {
  const failing = passing.filter((code) => !isWaiting(refuse(code)));
  expect(failing).toEqual(["INTERNAL_ERROR", "SERVICE_UNAVAILABLE"]);
});

test.each<[string, Partial<Parameters<typeof findBrokenOffEnd>[0]>, string | null]>([
  ["a call without a session", {}, "interrupted"],
  ["a call that has started its session", { sessionStatus: "active" }, "started"],
  ["a call that has filed its session", { sessionStatus: "backlog" }, "filed"],
  ["a call of this minute", { createdAt: 1 }, null],
  ["a call that has ended", { outcome: "sent" }, null],
  ["an event of the code host, which is tried again", { url: "https://host/7" }, null],
])("the end of %s once it has broken off: %j, %s", (_, changes, end) => {
  const run = { outcome: null, url: null, createdAt: 0, sessionStatus: null, ...changes };
  const found = findBrokenOffEnd(run, 60_000);
  expect(found && (found.reason ?? found.outcome)).toBe(end);
});

test("a model that the workspace cannot run has a reason of its own", () => {
  expect(findRefusedReason({ ...noCredential })).toBe("no_credentials");
});

const noFilters: Trigger["when"] = {
  ...{ branches: [], checks: [], reviews: [], labels: [], paths: [], associations: [], assignees: [], json: [] },
  ...{ place: null, cause: null },
};

test.each<[Trigger["on"], Trigger["do"]["action"], boolean]>([
  ["checks_failed", "send", true],
  ["checks_failed", "start", false],
  ["review", "send", true],
  ["review", "file", false],
  ["http", "start", true],
  ["http", "file", true],
  ["http", "send", false],
  ["label", "start", true],
  ["mention", "send", true],
  ["mention", "start", true],
  ["label", "file", true],
  ["label", "send", false],
  ["assigned", "file", true],
  ["assigned", "send", false],
])("%s may %s: %s", (on, action, fits) => {
  const misfit = findMisfit({ ...usualTrigger, on, when: noFilters, do: { ...usualTrigger.do, action } });
  expect(misfit?.path.join(".")).toBe(fits ? undefined : "do.action");
});

const filters: [keyof Trigger["when"], Partial<Trigger["when"]>, Trigger["on"][]][] = [
  ["branches", { branches: ["main"] }, ["checks_failed", "review", "label", "pull_request"]],
  ["checks", { checks: ["lint"] }, ["checks_failed"]],
  ["reviews", { reviews: ["commented"] }, ["review"]],
  ["labels", { labels: ["bug"] }, ["label", "pull_request"]],
  ["paths", { paths: ["src/*"] }, ["label", "pull_request"]],
  ["associations", { associations: ["owner"] }, ["review", "mention", "label", "assigned", "pull_request"]],
  ["assignees", { assignees: ["mia"] }, ["assigned"]],
  ["json", { json: [{ path: "id", exists: true }] }, ["http"]],
  ["place", { place: "id" }, ["http"]],
  ["cause", { cause: "id" }, ["http"]],
];
test.each(filters)("when.%s is refused for an event that does not read it", (name, filter, events) => {
  const accepted = triggerEvents.filter((on) => {
    const action = on === "checks_failed" || on === "review" ? "send" : "start";
    const misfit = findMisfit({
      ...usualTrigger,
      on,
      when: { ...noFilters, ...filter },
      do: { ...usualTrigger.do, action },
    });
    if (misfit !== null) expect(misfit.path).toEqual(["when", name]);
    return misfit === null;
  });
  expect(accepted.toSorted()).toEqual(events.toSorted());
});

const begins: Trigger["on"][] = ["mention", "label", "assigned", "pull_request", "http"];
const ofDo = (changes: Partial<Trigger["do"]>): Partial<Trigger> => ({ do: { ...usualTrigger.do, ...changes } });
const settings: [string, Partial<Trigger>, Trigger["on"][]][] = [
  ["do.assignee", ofDo({ assignee: "service" }), begins],
  ["do.assignee", ofDo({ assignee: "author" }), ["mention", "label", "assigned", "pull_request"]],
  ["do.priority", ofDo({ priority: "low" }), begins],
  ["do.sessionLimitUsd", ofDo({ sessionLimitUsd: 1 }), begins],
  ["caps.perDayUsd", { caps: { ...usualTrigger.caps, perDayUsd: 1 } }, begins],
  ["who.members", { who: { ...usualTrigger.who, members: false } }, ["mention"]],
  ["who.writers", { who: { ...usualTrigger.who, writers: true } }, ["mention"]],
  ["who.bots", { who: { ...usualTrigger.who, bots: ["ci[bot]"] } }, ["mention"]],
  ["caps.attempts", { caps: { ...usualTrigger.caps, attempts: 1 } }, ["checks_failed", "http", "mention"]],
  ["answer", { answer: "none" }, ["checks_failed", "mention", "label", "assigned", "pull_request"]],
  ["answer", { answer: "text" }, ["checks_failed", "mention", "label", "assigned", "pull_request"]],
  ["share", { share: true }, ["mention", "label", "assigned", "pull_request"]],
  ["nothing", ofDo({ prompt: "Look.", model: "zai:glm__low", underReview: "resume" }), [...triggerEvents]],
];
test.each(settings)("%s, as %j, is refused for an event that does not read it", (name, setting, events) => {
  const accepted = triggerEvents.filter((on) => {
    const action = on === "checks_failed" || on === "review" ? "send" : "start";
    const misfit = findMisfit({ ...usualTrigger, ...setting, on, do: { ...usualTrigger.do, ...setting.do, action } });
    if (misfit !== null) expect(misfit.path.join(".")).toBe(name);
    return misfit === null;
  });
  expect(accepted.toSorted()).toEqual(events.toSorted());
});

test.each(triggerEvents)("without an answer, a trigger on %s fits, and has the usual one", (on) => {
  const action = on === "checks_failed" || on === "review" ? "send" : "start";
  expect(findMisfit({ ...usualTrigger, answer: undefined, on, do: { ...usualTrigger.do, action } })).toBeNull();
  expect(getUsualAnswer(on)).toBe(on === "pull_request" ? "text" : "link");
});

const set = [
  ...filters.map(([, filter]) => ({ when: { ...noFilters, ...filter } })),
  ...settings.map(([, one]) => one),
];
test.each<Partial<Trigger>>(set)(
  "a stored trigger with %j has it only for an event that reads it, and can be put again",
  (changes) => {
    for (const on of triggerEvents) {
      const action = on === "checks_failed" || on === "review" ? "send" : "start";
      const stored = { ...trigger, ...changes, on, do: { ...trigger.do, ...changes.do, action } } as const;
      const read = toTrigger(stored);
      expect(findMisfit(read)).toBeNull();
      if (findMisfit(stored) === null) expect(read).toEqual(stored);
    }
  },
);

test("a trigger that was stored before it had actions sends", () => {
  const { who: _____, answer: ______, ...older } = trigger;
  const { prompt, underReview } = trigger.do;
  const { perDayUsd: _, ...caps } = trigger.caps;
  const { branches, checks, reviews } = trigger.when;
  expect(
    toTrigger({ ...older, when: { branches, checks, reviews }, do: { prompt, underReview }, caps } as Trigger),
  ).toEqual(trigger);
});

test.each<[string, Partial<Trigger>, string, boolean]>([
  ["that files, and its usual label", {}, "switchyard", true],
  ["that files, and its usual label in another case", {}, "Switchyard", true],
  ["that files, and the label that starts", {}, "switchyard:go", false],
  ["that starts, and its usual label", { do: { ...trigger.do, action: "start" } }, "switchyard:go", true],
  ["that starts, and the label that files", { do: { ...trigger.do, action: "start" } }, "switchyard", false],
  ["that names another label", { when: { ...trigger.when, labels: ["bug"] } }, "switchyard", false],
  ["that names the label", { when: { ...trigger.when, labels: ["bug", "Idea"] } }, "idea", true],
  ["that names a pattern", { when: { ...trigger.when, labels: ["*"] } }, "idea", false],
  ["that is disabled", { enabled: false }, "switchyard", false],
  ["for reviews", { on: "review" }, "switchyard", false],
])("a trigger %s, %j, %s: %s", (_, changes, label, matches) => {
  const rule: Trigger = { ...trigger, on: "label", do: { ...trigger.do, action: "file" }, ...changes };
  expect(isForLabel(rule, label)).toBe(matches);
});

const issue: LabeledIssue = {
  ...{ number: 7, url: "", title: "", body: "", author: "sam", label: "", association: "NONE" },
  ...{ assignee: "Mending-Bot", by: { hostUserId: "1", login: "mia" } },
};
const own = ["switchyard", "switchyard[bot]"];
const assigned: Trigger = { ...trigger, on: "assigned" };
const to = (...assignees: string[]): Trigger => ({ ...assigned, when: { ...trigger.when, assignees } });
const by = (rule: Trigger, ...associations: Trigger["when"]["associations"]): Trigger => ({
  ...rule,
  when: { ...rule.when, associations },
});

test.each<[string, Trigger, Partial<LabeledIssue>, boolean]>([
  ["to the service itself", assigned, { assignee: "switchyard[bot]" }, true],
  ["to the service itself by its slug", assigned, { assignee: "Switchyard" }, true],
  ["to somebody else", assigned, {}, false],
  ["to a login that the trigger names", to("mending-bot"), {}, true],
  ["to the service, where the trigger names another login", to("mending-bot"), { assignee: "switchyard" }, false],
  ["by a pattern, which is no login", to("*"), {}, false],
  ["of a trigger that is off", { ...to("mending-bot"), enabled: false }, {}, false],
  ["of a trigger for labels", { ...to("mending-bot"), on: "label" }, {}, false],
  ["of an author whom the trigger wants", by(to("mending-bot"), "none"), {}, true],
  ["of an author whom the trigger does not want", by(to("mending-bot"), "owner", "member"), {}, false],
  ["of an author whom nobody knows", by(to("mending-bot"), "none"), { association: null }, false],
])("an assignment %s", (_, rule, changes, matches) => {
  expect(isForIssue(rule, { ...issue, ...changes }, own)).toBe(matches);
});

test("the author of an issue, a pull request and a comment is a filter", () => {
  const { assignee: _, ...labeled } = { ...issue, label: "bug" };
  const pull = { ...labeled, label: null, labels: [], isFork: false, branch: "fix", base: "main", sha: "a1" };
  const labels: Trigger = { ...trigger, on: "label", when: { ...trigger.when, labels: ["bug"] } };
  const found = (["none", "owner"] as const).map((association) => [
    isForIssue(by(labels, association), labeled, []),
    isForPullRequest(by({ ...trigger, on: "pull_request" }, association), pull),
    isForMention(by({ ...trigger, on: "mention" }, association), labeled),
  ]);
  expect(found).toEqual([
    [true, true, true],
    [false, false, false],
  ]);
});

test.each([
  ["run 15368 unit test", ["unit test"]],
  ["status ci/lint", ["ci/lint"]],
  ["suite 118578147", null],
])("the names of a trial's checks: %s", (check, names) => {
  expect(findCheckNames({ check })).toEqual(names);
});
