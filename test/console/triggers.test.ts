// The rules of the triggers' form: what is sent, what is wrong with it, and the words of runs.

import { expect, test } from "vitest";
import {
  createTrigger,
  describeLacks,
  describeRun,
  describeTriggers,
  events,
  findTriggerMistake,
  type Trigger,
  toEditedTriggers,
  toTriggers,
} from "../../console/src/project/trigger-form.ts";
import { usualTrigger } from "../support/trigger.ts";

const trigger: Trigger = {
  ...usualTrigger,
  ...{ id: "t1", name: "Mend", on: "checks_failed", lacks: ["issues"] },
  when: { ...usualTrigger.when, branches: ["svc/*"], checks: ["test"] },
  do: { ...usualTrigger.do, prompt: "Fix it.", underReview: "resume" },
  caps: { ...usualTrigger.caps, perDay: 5, attempts: 2 },
};

test("triggers survive the form, and filters of another event are left out", () => {
  const edited = toEditedTriggers([trigger]);
  const { lacks: _, ...sent } = trigger;
  expect(toTriggers(edited)).toEqual([sent]);
  const [asReview] = toTriggers(edited.map((one) => ({ ...one, on: "review" as const })));
  expect(asReview).toMatchObject({ when: { checks: [] }, do: { underReview: "resume" } });
  expect(toTriggers([createTrigger("key", "review")])).toEqual([
    { ...usualTrigger, name: "Answer reviews", on: "review" },
  ]);
  expect(describeTriggers([trigger])).toEqual([
    "Mend: Checks of a pull request fail",
    "  branches: svc/*",
    "  checks: test",
    "  a session Under Review works again",
    "  Fix it.",
    "  2 attempts, 5 messages per day",
  ]);
});

test("a trigger that begins sessions has what its event has, and nothing else", () => {
  const typed = {
    ...createTrigger("key", "label"),
    branches: "svc/*",
    paths: "src/*",
    labels: "bug\n bug ",
    place: "incident.id",
  };
  const labels = {
    branches: ["svc/*"],
    checks: [],
    reviews: [],
    labels: ["bug"],
    paths: ["src/*"],
    place: null,
    cause: null,
  };
  expect(toTriggers([typed])[0]).toMatchObject({ name: "Start labeled issues", when: labels, do: { action: "start" } });
  const [asHttp] = toTriggers([{ ...typed, on: "http", action: "file" }]);
  expect(asHttp).toMatchObject({
    when: { branches: [], labels: [], paths: [], place: "incident.id", cause: null },
    do: { action: "file" },
  });
  const [asPull] = toTriggers([{ ...typed, on: "pull_request" }]);
  expect(asPull).toMatchObject({ when: { labels: ["bug"], paths: ["src/*"], place: null }, do: { action: "start" } });
  const [asChecks] = toTriggers([{ ...typed, on: "checks_failed" }]);
  expect(asChecks).toMatchObject({ when: { branches: ["svc/*"], labels: [], paths: [] }, do: { action: "send" } });
});

test("a trigger for mentions has the accounts that count, and one of another event has none", () => {
  const typed = { ...createTrigger("key", "mention"), bots: "renovate[bot]\n", writers: true, answer: "text" as const };
  const who = { members: true, writers: true, bots: ["renovate[bot]"] };
  const [sent] = toTriggers([{ ...typed, action: "send" }]);
  expect(sent).toMatchObject({ name: "Answer mentions", do: { action: "send" }, who, answer: "text" });
  expect(toEditedTriggers([{ ...trigger, ...sent, id: "t2" } as Trigger])).toMatchObject([
    { action: "send", bots: "renovate[bot]", writers: true, answer: "text" },
  ]);
  const [asLabel] = toTriggers([{ ...typed, action: "send", on: "label" }]);
  expect(asLabel).toMatchObject({ do: { action: "start" }, who: { writers: false, bots: [] } });
});

test("each event has its filters, and only new sessions have a priority", () => {
  const typed = {
    ...createTrigger("key", "assigned"),
    ...{ assignees: "mending-bot\n", associations: ["none", "owner"] as const, priority: "high" as const },
    ...{ conditions: "alert.status is firing", branches: "svc/*" },
  };
  const [sent] = toTriggers([typed]);
  expect(sent).toMatchObject({
    when: { branches: [], associations: ["owner", "none"], assignees: ["mending-bot"], json: [] },
    do: { action: "start", priority: "high" },
  });
  const json = [{ path: "alert.status", is: "firing" }];
  const [asHttp] = toTriggers([{ ...typed, on: "http" }]);
  expect(asHttp).toMatchObject({ when: { associations: [], assignees: [], json } });
  const [asChecks] = toTriggers([{ ...typed, on: "checks_failed" }]);
  expect(asChecks).toMatchObject({ when: { associations: [], branches: ["svc/*"] }, do: { priority: "none" } });
  const read = { ...trigger, ...sent, when: { ...trigger.when, ...sent?.when, json }, id: "t2" } as Trigger;
  expect(toEditedTriggers([read])).toMatchObject([
    { assignees: "mending-bot", associations: ["owner", "none"], conditions: "alert.status is firing" },
  ]);
  expect(describeTriggers([read])).toEqual(
    expect.arrayContaining([
      "  authors: owner, none",
      "  assigned to: mending-bot",
      "  conditions: alert.status is firing",
      "  priority high",
    ]),
  );
  // As an older page kept it.
  const { associations: _, assignees: __, conditions: ___, priority: ____, ...older } = typed;
  expect(toTriggers([older])[0]).toMatchObject({ when: { associations: [], assignees: [] }, do: { priority: "none" } });
});

test("a line that is no condition is a mistake", () => {
  const typed = { ...createTrigger("key", "http"), conditions: "alert.status firing" };
  expect(findTriggerMistake([typed])).toBe("“Look into incidents”: invalid condition: alert.status firing");
});

test("only triggers that begin sessions have an Assignee, and only comments have a public link", () => {
  const typed = { ...createTrigger("key", "mention"), assignee: "author" as const, share: true };
  const [sent] = toTriggers([typed]);
  expect(sent).toMatchObject({ do: { assignee: "author" }, share: true });
  expect(toTriggers([{ ...typed, answer: "none" }])[0]?.share).toBe(false);
  for (const on of ["label", "assigned", "pull_request"] as const)
    expect(toTriggers([{ ...typed, on, answer: "text" }])[0]).toMatchObject({ answer: "text", share: true });
  for (const on of ["review", "http"] as const)
    expect(toTriggers([{ ...typed, on, answer: "text" }])[0]).toMatchObject({ answer: "link", share: false });
  expect(toTriggers([{ ...typed, on: "http" }])[0]?.do.assignee).toBeNull();
  expect(toTriggers([{ ...typed, on: "http", assignee: "service" }])[0]?.do.assignee).toBe("service");
  expect(toTriggers([{ ...typed, on: "review" }])[0]?.do.assignee).toBeNull();
  expect(describeTriggers([{ ...trigger, ...sent, id: "t2" } as Trigger])).toEqual(
    expect.arrayContaining(["  for the member who asked", "  its comment has the public link of the preview"]),
  );
});

test.each([
  ["pull_request", "text", "  its comment has the answer"],
  ["label", "link", "  its comment has the link of the session"],
  ["mention", "none", "  writes no comment"],
] as const)("a trigger on %s that answers with %s is described: %s", (on, answer, line) => {
  expect(describeTriggers([{ ...trigger, on, answer }])).toContain(line);
});

test("a review is shown on its pull request unless somebody chooses, and other answers are links", () => {
  const usual = events.map(([on]) => [on, toTriggers([createTrigger("key", on)])[0]?.answer]);
  expect(usual.filter(([, answer]) => answer !== "link")).toEqual([["pull_request", "text"]]);
});

test("a model survives the form, and so do limits in dollars where sessions begin", () => {
  const typed = { ...createTrigger("key", "http"), model: "zai:glm__low", sessionLimitUsd: "0.5", perDayUsd: " 20 " };
  const [sent] = toTriggers([typed]);
  expect(sent).toMatchObject({ do: { model: "zai:glm__low", sessionLimitUsd: 0.5 }, caps: { perDayUsd: 20 } });
  const shown = { ...trigger, ...sent, id: "t2", lacks: [] as string[] } as Trigger;
  expect(toEditedTriggers([shown])).toMatchObject([{ ...typed, key: "t2", id: "t2", perDayUsd: "20" }]);
  expect(describeTriggers([shown])).toEqual(
    expect.arrayContaining(["  on zai:glm__low", "  $0.5 per session", "  $20 per day"]),
  );
  expect(toTriggers([{ ...typed, on: "review" }])).toMatchObject([
    { do: { model: "zai:glm__low", sessionLimitUsd: 5 }, caps: { perDayUsd: null } },
  ]);
});

test("a form that an older page kept has the usual model and limits", () => {
  const { model: _, sessionLimitUsd: __, perDayUsd: ___, ...older } = createTrigger("key", "http");
  expect(findTriggerMistake([older])).toBeNull();
  expect(toTriggers([older])).toEqual(toTriggers([createTrigger("key", "http")]));
});

test.each([
  [[], null],
  [["issues"], "It does not run yet, or cannot answer, because the app lacks the permission Issues: Read and write."],
  [["check_run"], "It does not run yet, or cannot answer, because the app lacks the event check_run."],
])("what lacks %j is described", (lacking, words) => {
  expect(describeLacks(lacking)).toBe(words);
});

test.each([
  [{}, null],
  [{ name: " " }, "A trigger has no name."],
  [{ perDay: "501" }, "“Mend”: messages per day must be a number from 1 to 500."],
  [{ attempts: "x" }, "“Mend”: attempts must be a number from 1 to 10."],
  [{ on: "http" as const, sessionLimitUsd: "0" }, "“Mend”: a limit must be at least 0.01 US dollars."],
  [{ on: "http" as const, sessionLimitUsd: "" }, "“Mend”: a limit must be at least 0.01 US dollars."],
  [{ on: "http" as const, perDayUsd: "two" }, "“Mend”: a limit must be at least 0.01 US dollars."],
  [{ on: "http" as const, perDayUsd: " " }, null],
  [{ perDayUsd: "of another event", sessionLimitUsd: "of another event" }, null],
])("a trigger with %j has the mistake %s", (changed, mistake) => {
  expect(findTriggerMistake(toEditedTriggers([trigger]).map((one) => ({ ...one, ...changed })))).toBe(mistake);
});

test.each([
  [null, null, "running", null],
  ["sent", null, "sent", null],
  ["started", null, "started", null],
  ["filed", null, "filed", null],
  ["skipped", "backlog", "skipped", "Its session waits in the Backlog."],
  ["skipped", "base_fails", "skipped", "The same checks fail on the branch to merge into."],
] as const)("a run that is %s for %s is said to be %s", (outcome, reason, word, why) => {
  expect(describeRun({ outcome, reason })).toMatchObject({ word, why });
});
