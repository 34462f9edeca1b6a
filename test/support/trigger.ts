// What triggers of tests have in common.
import { membersOnly, type Trigger } from "../../src/trigger/rules/trigger.ts";

/** A trigger without filters, as it is where a PUT sends nothing but its name and event. */
export const usualTrigger = {
  enabled: true,
  when: {
    branches: [],
    checks: [],
    reviews: [],
    labels: [],
    paths: [],
    associations: [],
    assignees: [],
    json: [],
    place: null,
    cause: null,
  },
  do: {
    action: "send",
    prompt: null,
    underReview: "notice",
    assignee: null,
    priority: "none",
    model: null,
    sessionLimitUsd: 5,
  },
  who: membersOnly,
  caps: { perDay: 20, attempts: 3, perDayUsd: null },
  answer: "link",
  share: false,
} satisfies Omit<Trigger, "id" | "name" | "on">;
