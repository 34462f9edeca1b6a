// Triggers on the wire.
import * as z from "zod";
import { pageQuery } from "../lib/pagination.ts";
import { exampleIds, exampleTimes, formatTime, timestamp, uuid } from "../lib/wire.ts";
import {
  spendLimitUsdMax,
  triggerAttemptsMax,
  triggerBotsMax,
  triggerFilterValuesMax,
  triggerNameCharacters,
  triggerPatternCharacters,
  triggerPerDayMax,
  triggerPromptCharacters,
  triggerSessionUsd,
  triggersMax,
  triggerUsdMin,
} from "../rules/limits.ts";
import { reviewStates } from "../session/rules/pull-request/review-event.ts";
import { prioritySchema } from "../session/wire.ts";
import type { ListedRun, TriggerRun } from "./queries/runs.ts";
import { findConditionMistake } from "./rules/condition.ts";
import { findBrokenOffEnd, outcomes, skipReasons } from "./rules/outcome.ts";
import type { Trial } from "./rules/trial.ts";
import {
  answerKinds,
  associations,
  findMisfit,
  reviewAnswers,
  triggerActions,
  triggerAssignees,
  triggerEvents,
  usualAttempts,
} from "./rules/trigger.ts";

const texts = {
  name: "Its name.",
  enabled: "False: it is off.",
  on: "`mention`: in a comment. `label`: of an issue or pull request. `assigned`: an issue. `http`: a call.",
  when: "Filters. All have to match.",
  branches: "Branches; `*` matches any text. None: all.",
  checks: "Names of failed checks, as `branches`.",
  reviews: "Reviews. None: all.",
  labels: "Labels. None: `switchyard` to file, `switchyard:go` to start.",
  paths: "Files, as `branches`.",
  associations: "Of the author; no right.",
  assignees: "Logins. None: the App.",
  json: "All hold in the body.",
  place: "Path in the body to what has one session.",
  cause: "Path in the body to what counts once.",
  do: "What it does.",
  action: "`mention`: any. Checks, reviews: `send`. Others: `start`, `file`.",
  prompt: "What is asked; null: the default.",
  assignee: "Of a new session; `author`: who asked.",
  priority: "Of a new session.",
  model: "Its model; null: the usual.",
  sessionLimitUsd: "What the turns of a session that no person sent may cost.",
  perDayUsd: "What its sessions may cost a day.",
  underReview: "Under Review: `notice` sends nothing; `resume` works and returns.",
  caps: "Limits.",
  perDay: "Runs in 24 hours.",
  attempts: "Messages until a person writes.",
  who: "Whose mentions count.",
  members: "Members.",
  writers: "Others who may push.",
  bots: "Programs.",
  answer: "Its comment. Omitted: `text` for `pull_request`, else `link`.",
  share: "The comment links the preview.",
};

const pattern = z.string().min(1).max(triggerPatternCharacters);
const patterns = z.array(pattern).max(triggerFilterValuesMax).default([]);
const scalar = z
  .union([z.string().max(triggerPatternCharacters), z.number(), z.boolean(), z.null()])
  .meta({ id: "TriggerValue", description: "A value in a body.", examples: ["firing"] });
const conditionFields = {
  path: pattern.describe("Path in the body."),
  is: scalar.optional().describe("Its value."),
  in: z.array(scalar).max(triggerFilterValuesMax).optional().describe("Its values."),
  has: scalar.optional().describe("A part of it."),
  exists: z.boolean().optional().describe("It exists."),
};
const condition = z.strictObject(conditionFields).superRefine((given, context) => {
  const message = findConditionMistake(given);
  if (message !== null) context.addIssue({ code: "custom", message });
});
const bodyPath = pattern.nullable().default(null);
const count = (max: number, usual: number) => z.int().min(1).max(max).default(usual);

const dollars = z.number().min(triggerUsdMin).max(spendLimitUsdMax);

const fields = {
  name: z.string().trim().min(1).max(triggerNameCharacters).describe(texts.name),
  enabled: z.boolean().default(true).describe(texts.enabled),
  on: z.enum(triggerEvents).describe(texts.on),
  when: z
    .strictObject({
      branches: patterns.describe(texts.branches),
      checks: patterns.describe(texts.checks),
      reviews: z.array(z.enum(reviewStates)).max(reviewStates.length).default([]).describe(texts.reviews),
      labels: patterns.describe(texts.labels),
      paths: patterns.describe(texts.paths),
      associations: z.array(z.enum(associations)).max(associations.length).default([]).describe(texts.associations),
      assignees: patterns.describe(texts.assignees),
      json: z.array(condition).max(triggerFilterValuesMax).default([]).describe(texts.json),
      place: bodyPath.describe(texts.place),
      cause: bodyPath.describe(texts.cause),
    })
    .prefault({})
    .describe(texts.when),
  do: z
    .strictObject({
      action: z.enum(triggerActions).default("send").describe(texts.action),
      prompt: z.string().trim().min(1).max(triggerPromptCharacters).nullable().default(null).describe(texts.prompt),
      underReview: z.enum(reviewAnswers).default("notice").describe(texts.underReview),
      assignee: z.enum(triggerAssignees).nullable().default(null).describe(texts.assignee),
      priority: prioritySchema.default("none").describe(texts.priority),
      model: z.string().nullable().default(null).describe(texts.model),
      sessionLimitUsd: dollars.default(triggerSessionUsd).describe(texts.sessionLimitUsd),
    })
    .prefault({})
    .describe(texts.do),
  caps: z
    .strictObject({
      perDay: count(triggerPerDayMax, 20).describe(texts.perDay),
      attempts: count(triggerAttemptsMax, usualAttempts).describe(texts.attempts),
      perDayUsd: dollars.nullable().default(null).describe(texts.perDayUsd),
    })
    .prefault({})
    .describe(texts.caps),
  who: z
    .strictObject({
      members: z.boolean().default(true).describe(texts.members),
      writers: z.boolean().default(false).describe(texts.writers),
      bots: z.array(pattern).max(triggerBotsMax).default([]).describe(texts.bots),
    })
    .prefault({})
    .describe(texts.who),
  answer: z.enum(answerKinds).optional().describe(texts.answer),
  share: z.boolean().default(false).describe(texts.share),
  lacks: z.unknown().optional().describe("Ignored."),
};

/** The same without limits, defaults and rules, which only a request needs. */
const shownFields = {
  name: z.string().describe(texts.name),
  enabled: z.boolean().describe(texts.enabled),
  on: z.enum(triggerEvents).describe("The event."),
  when: z
    .object({
      branches: z.array(z.string()).describe("Branches."),
      checks: z.array(z.string()).describe("Checks."),
      reviews: z.array(z.enum(reviewStates)).describe("Reviews."),
      labels: z.array(z.string()).describe("Labels."),
      paths: z.array(z.string()).describe("Files."),
      associations: z.array(z.enum(associations)).describe(texts.associations),
      assignees: z.array(z.string()).describe(texts.assignees),
      json: z.array(z.object(conditionFields)).describe(texts.json),
      place: z.string().nullable().describe("What has one session."),
      cause: z.string().nullable().describe("What counts once."),
    })
    .describe("Filters."),
  do: z
    .object({
      action: z.enum(triggerActions).describe("What it does."),
      prompt: z.string().nullable().describe("What is asked."),
      underReview: z.enum(reviewAnswers).describe("Under Review."),
      assignee: z.enum(triggerAssignees).nullable().describe("Of a new session."),
      priority: prioritySchema.describe(texts.priority),
      model: z.string().nullable().describe("Its model."),
      sessionLimitUsd: z.number().describe("In US dollars."),
    })
    .describe(texts.do),
  caps: z
    .object({
      perDay: z.int().describe(texts.perDay),
      attempts: z.int().describe("Attempts."),
      perDayUsd: z.number().nullable().describe("In US dollars."),
    })
    .describe(texts.caps),
  who: z
    .object({
      members: z.boolean().describe(texts.members),
      writers: z.boolean().describe(texts.writers),
      bots: z.array(z.string()).describe(texts.bots),
    })
    .describe(texts.who),
  answer: z.enum(answerKinds).describe("Its comment."),
  share: z.boolean().describe("It links the preview."),
};

const example = { name: "Fix failed checks", on: "checks_failed" as const };

/** The triggers of a project, which a PUT replaces. */
export const triggersBody = z
  .strictObject({
    version: z.int().min(0).describe("The version that was read, or 0."),
    triggers: z
      .array(
        z
          .strictObject({ id: uuid.optional().describe("Omitted for a new one."), ...fields })
          .superRefine((trigger, context) => {
            const misfit = findMisfit(trigger);
            if (misfit !== null) context.addIssue({ code: "custom", ...misfit });
          }),
      )
      .max(triggersMax)
      .describe("All triggers. One that is left out is deleted."),
  })
  .meta({ examples: [{ version: 0, triggers: [example] }] });

export const triggersSchema = z
  .object({
    version: z.int().describe("Increases with each change."),
    triggers: z
      .array(
        z.object({
          id: z.string().describe("The trigger's id."),
          ...shownFields,
          lacks: z.array(z.string()).describe("What GitHub has to grant."),
        }),
      )
      .describe("All triggers."),
  })
  .meta({
    id: "Triggers",
    description: "The triggers of a project.",
    examples: [
      {
        version: 1,
        triggers: [],
      },
    ],
  });

export const triggerRunsQuery = pageQuery.extend({
  triggerId: uuid.optional().describe("Only runs of this trigger."),
});

export const triggerRunSchema = z
  .object({
    id: z.string().describe("The run's id."),
    triggerId: z.string().describe("Its trigger."),
    triggerName: z.string().describe("Its name at that time."),
    sessionId: z.string().nullable().describe("The session; null without one."),
    url: z.string().nullable().describe("The page of the cause."),
    outcome: z.enum(outcomes).nullable().describe("Null: it runs."),
    reason: z.enum(skipReasons).nullable().describe("Why it did nothing."),
    createdAt: timestamp.describe("When it started."),
  })
  .meta({
    id: "TriggerRun",
    description: "A run of a trigger, one for each cause.",
    examples: [
      {
        ...{ id: exampleIds.run, triggerId: exampleIds.event, triggerName: example.name },
        ...{ sessionId: exampleIds.session, url: "https://github.com/acme/departures/pull/12" },
        ...{ outcome: "sent", reason: null, createdAt: exampleTimes.later },
      },
    ],
  });

/** The answer to a request to an HTTP trigger. */
export const startedRunSchema = z.object({ run: triggerRunSchema });

export const triggerKeySchema = z
  .object({
    key: z.string().describe("The key."),
    secret: z.string().describe("The new secret signs instead."),
  })
  .meta({ examples: [{ key: "svc_trg_…", secret: "whsec_…" }] });

/** An event that is tried. */
export const trialBody = z
  .strictObject({
    event: z.string().min(1).max(triggerNameCharacters).describe("`http`, or GitHub's event."),
    payload: z.unknown().describe("What it sends."),
  })
  .meta({ examples: [{ event: "http", payload: { incident: "INC-7" } }] });

const trialSchema = z
  .object({
    triggerId: z.string().describe("Its trigger."),
    matches: z.boolean().describe("False: no run."),
    action: z.enum(triggerActions).describe("What the trigger would do."),
    reason: z.string().nullable().describe("Why the trigger would do nothing."),
    answer: z.enum(answerKinds).describe("Its comment."),
    place: z.string().nullable().describe("Its place."),
    cause: z.string().nullable().describe("Its cause."),
    sessionId: z.string().nullable().describe("Null: a new one."),
  })
  .meta({
    id: "TriggerTrial",
    description: "A trial.",
    examples: [
      {
        ...{ triggerId: exampleIds.event, matches: true, action: "start", reason: null },
        ...{ answer: "link", place: "issue 1296269#…", cause: "label bug …", sessionId: null },
      },
    ],
  });

export const trialsSchema = z.object({ triggers: z.array(trialSchema).describe("All triggers.") });

/** A trial in its wire format. */
export function toTrialWire({ place, ...trial }: Trial) {
  return { ...trial, place: place && `${place.kind} ${place.externalId}` };
}

/** A run in its wire format. */
export function toTriggerRunWire({ projectId: _, cause: __, sessionId, createdAt, ...run }: TriggerRun) {
  return { ...run, sessionId: sessionId === "" ? null : sessionId, createdAt: formatTime(createdAt) };
}

/** A run of a list in its wire format. A call that broke off has an end there. */
export function toListedRunWire({ sessionStatus, ...run }: ListedRun, now: number) {
  const end = findBrokenOffEnd({ ...run, sessionStatus }, now);
  if (end === null) return toTriggerRunWire(run);
  return toTriggerRunWire({ ...run, ...end, sessionId: sessionStatus === null ? "" : run.sessionId });
}
