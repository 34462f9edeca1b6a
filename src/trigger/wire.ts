// Triggers on the wire.
import * as z from "zod";
import { pageQuery } from "../lib/pagination.ts";
import { exampleIds, exampleTimes, formatTime, timestamp, uuid } from "../lib/wire.ts";
import {
  triggerAttemptsMax,
  triggerFilterValuesMax,
  triggerNameCharacters,
  triggerPatternCharacters,
  triggerPerDayMax,
  triggerPromptCharacters,
  triggersMax,
} from "../rules/limits.ts";
import { reviewStates } from "../session/rules/pull-request/review-event.ts";
import type { TriggerRun } from "./queries.ts";
import { outcomes, skipReasons } from "./rules/outcome.ts";
import { reviewAnswers, triggerEvents } from "./rules/trigger.ts";

const filter = (what: string) =>
  z
    .array(z.string().min(1).max(triggerPatternCharacters))
    .max(triggerFilterValuesMax)
    .default([])
    .describe(`${what}, where \`*\` matches any text. None means all.`);

const fields = {
  name: z.string().trim().min(1).max(triggerNameCharacters).describe("A name for people."),
  enabled: z.boolean().default(true).describe("False for one that does nothing."),
  on: z
    .enum(triggerEvents)
    .describe(
      "`checks_failed`: all checks of a session's pull request ended, and one failed. `review`: a member reviewed it.",
    ),
  when: z
    .strictObject({
      branches: filter("Branches of sessions"),
      checks: filter("Names of failed checks"),
      reviews: z.array(z.enum(reviewStates)).max(reviewStates.length).default([]).describe("Reviews. None means all."),
    })
    .prefault({})
    .describe("The filters. All have to match."),
  do: z
    .strictObject({
      prompt: z
        .string()
        .trim()
        .min(1)
        .max(triggerPromptCharacters)
        .nullable()
        .default(null)
        .describe("What the agent is asked to do; null for the default."),
      underReview: z
        .enum(reviewAnswers)
        .default("notice")
        .describe(
          "For a session Under Review. `notice`: nothing is sent. `resume`: it works, and goes back Under Review.",
        ),
    })
    .prefault({})
    .describe("The message."),
  caps: z
    .strictObject({
      perDay: z.int().min(1).max(triggerPerDayMax).default(20).describe("Messages in 24 hours."),
      attempts: z
        .int()
        .min(1)
        .max(triggerAttemptsMax)
        .default(3)
        .describe("Messages to one session until a person writes."),
    })
    .prefault({})
    .describe("The limits."),
};

const example = { name: "Mend failed checks", on: "checks_failed" as const };

/** The triggers of a project, which a PUT replaces. */
export const triggersBody = z
  .strictObject({
    version: z.int().min(0).describe("The version that was read; 0 if there was none."),
    triggers: z
      .array(z.strictObject({ id: uuid.optional().describe("Of one that exists; left out for a new one."), ...fields }))
      .max(triggersMax)
      .describe("All triggers. One that is left out is deleted."),
  })
  .meta({ examples: [{ version: 0, triggers: [example] }] });

export const triggersSchema = z
  .object({
    version: z.int().describe("Rises with each change."),
    triggers: z.array(z.object({ id: z.string().describe("The trigger's id."), ...fields })).describe("All triggers."),
  })
  .meta({
    id: "Triggers",
    description: "The triggers of a project.",
    examples: [
      {
        version: 1,
        triggers: [
          {
            ...{ id: exampleIds.event, ...example, enabled: true, when: { branches: [], checks: [], reviews: [] } },
            ...{ do: { prompt: null, underReview: "notice" as const }, caps: { perDay: 20, attempts: 3 } },
          },
        ],
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
    triggerName: z.string().describe("The trigger's name at that time."),
    sessionId: z.string().describe("The session."),
    url: z.string().nullable().describe("The page of the cause."),
    outcome: z.enum(outcomes).nullable().describe("Null while it runs."),
    reason: z.enum(skipReasons).nullable().describe("Why nothing was sent."),
    createdAt: timestamp.describe("When it started."),
  })
  .meta({
    id: "TriggerRun",
    description: "A run of a trigger. Each cause makes one run.",
    examples: [
      {
        ...{ id: exampleIds.run, triggerId: exampleIds.event, triggerName: example.name },
        ...{ sessionId: exampleIds.session, url: "https://github.com/acme/departures/pull/12" },
        ...{ outcome: "sent", reason: null, createdAt: exampleTimes.later },
      },
    ],
  });

/** A run in its wire format. */
export function toTriggerRunWire({ projectId: _, cause: __, createdAt, ...run }: TriggerRun) {
  return { ...run, createdAt: formatTime(createdAt) };
}
