// A trigger: a rule of a project that sends a message, or starts or files a session, when something
// happens at the code host or somebody calls it with its key.
import type { TriggerActor } from "../../access/rules/actor.ts";
import { triggerSessionUsd } from "../../rules/limits.ts";
import type { ReviewEvent } from "../../session/rules/pull-request/review-event.ts";
import type { Priority } from "../../session/rules/session.ts";
import type { Condition } from "./condition.ts";

export const triggerEvents = [
  "checks_failed",
  "review",
  "mention",
  "label",
  "assigned",
  "pull_request",
  "http",
] as const;
export const triggerActions = ["send", "start", "file"] as const;
/** The kinds of places that only triggers name. */
const placeKinds = ["http", "issue", "pull_request"];
export const reviewAnswers = ["notice", "resume"] as const;
export const answerKinds = ["none", "link", "text"] as const;
export const triggerAssignees = ["author", "service"] as const;
/** How the code host relates the author of a text to the repository, in its words. */
export const associations = [
  ...(["owner", "member", "collaborator", "contributor", "first_time_contributor"] as const),
  ...(["first_timer", "mannequin", "none"] as const),
] as const;

/** True for a kind of place that only triggers name. */
export const isTriggerPlace = (kind: string): boolean => placeKinds.includes(kind);

export interface Trigger {
  id: string;
  name: string;
  enabled: boolean;
  on: (typeof triggerEvents)[number];
  /** All filters have to match. A filter without values matches everything. */
  when: {
    branches: string[];
    checks: string[];
    reviews: ReviewEvent["state"][];
    /** The names of labels; none for the usual one of the action. */
    labels: string[];
    /** The files that a pull request changes. */
    paths: string[];
    /** Of the author of the comment, issue or pull request. They give no right. */
    associations: (typeof associations)[number][];
    /** The logins of whom an issue is assigned to; none for the service's own account. */
    assignees: string[];
    /** What a request's body has to have. */
    json: Condition[];
    /** The path in a request's body to what has one session; null if each call starts one. */
    place: string | null;
    /** The path in a request's body to what counts once; null if each call counts. */
    cause: string | null;
  };
  do: {
    /** `send` writes to the session of the pull request or the place, and begins none. */
    action: (typeof triggerActions)[number];
    /** What the agent is asked to do; null for the default. */
    prompt: string | null;
    /** What happens to a session Under Review: only people are notified, or it works again. */
    underReview: (typeof reviewAnswers)[number];
    /** Whom a new session is assigned to: the member who asked, the service, or nobody. */
    assignee: (typeof triggerAssignees)[number] | null;
    /** How urgent a new session is. */
    priority: Priority;
    /** The model of a new session and of each message; null for the usual one. */
    model: string | null;
    /**
     * What the turns that no person sent may cost in a session that it started, in US dollars,
     * until a person writes.
     */
    sessionLimitUsd: number;
  };
  /** Whose mentions count, besides those of nobody. */
  who: {
    /** Members who connected an account that may push. */
    members: boolean;
    /** Every other account that may push. */
    writers: boolean;
    /** The logins of programs. */
    bots: string[];
  };
  caps: {
    perDay: number;
    attempts: number;
    /** What all its sessions may cost in a day, in US dollars; null for no limit. */
    perDayUsd: number | null;
  };
  /** What the comment at the issue or the pull request shows. */
  answer: (typeof answerKinds)[number];
  /** True if the comment has the public link of the session's preview. */
  share: boolean;
}

/** Only members who connected their account. */
export const membersOnly: Trigger["who"] = { members: true, writers: false, bots: [] };

/** `caps.attempts` unless it is set. */
export const usualAttempts = 3;

const defaults: Pick<Trigger, "who" | "answer" | "share"> & {
  when: Omit<Trigger["when"], "branches" | "checks" | "reviews">;
  do: Pick<Trigger["do"], "action" | "assignee" | "priority" | "model" | "sessionLimitUsd">;
  caps: Pick<Trigger["caps"], "perDayUsd">;
} = {
  when: { labels: [], paths: [], associations: [], assignees: [], json: [], place: null, cause: null },
  do: { action: "send", assignee: null, priority: "none", model: null, sessionLimitUsd: triggerSessionUsd },
  caps: { perDayUsd: null },
  who: membersOnly,
  answer: "link",
  share: false,
};

/**
 * A trigger of a stored row, which may be older than some of the fields. What its event does not
 * read is not set, so that a PUT of what was read is accepted.
 */
export function toTrigger(stored: Trigger): Trigger {
  const { on } = stored;
  const whole = { ...defaults, ...stored };
  return {
    ...withoutUnread(on, whole),
    when: withoutUnread(on, { ...defaults.when, ...stored.when }),
    do: withoutUnread(on, { ...defaults.do, ...stored.do }),
    who: withoutUnread(on, whole.who),
    caps: withoutUnread(on, { ...defaults.caps, ...stored.caps }),
  };
}

/** A group of fields in which those that the event does not read are not set. */
function withoutUnread<Group extends object>(on: Trigger["on"], group: Group): Group {
  const unset = Object.entries(group).flatMap(([name, value]) => {
    const field = findUnread(on, name, value);
    return field ? [[name, getUnset(field)] as const] : [];
  });
  return { ...group, ...Object.fromEntries(unset) };
}

const prompts: Record<Trigger["on"], string> = {
  checks_failed:
    "The checks of your pull request failed on its newest commit. Find the cause, fix it, and commit and push the fix. If your change did not cause a failure, say so instead of working around it.",
  review:
    "Your pull request was reviewed. Do what the review asks for, and commit and push it. Answer what is only a question.",
  mention:
    "You were mentioned in what is quoted below. Do what it asks for in this project, and commit and push it. Answer what is only a question.",
  label:
    "The issue or pull request that is quoted below was labeled for you. Do what it asks for in this project, and commit and push it. Say what you left out and why.",
  assigned:
    "The issue that is quoted below was assigned to you. Do what it asks for in this project, and commit and push it. Say what you left out and why.",
  pull_request:
    "Review the pull request that is quoted below. Your branch starts at its head. Say what you found, the most important first. Change nothing unless you are asked to.",
  http: "Another program reported what is quoted below. Find out what it means for this project. If it needs a change here, make it, and commit and push it. If it does not, say so.",
};

/** What the agent is asked to do. */
export function getPrompt({ on, do: { prompt } }: Trigger): string {
  return prompt ?? prompts[on];
}

/** The events of an issue or a pull request, where a comment answers. */
export const placeEvents: readonly Trigger["on"][] = ["mention", "label", "assigned", "pull_request"];

/** `answer` unless it is set. What a review found belongs on its pull request. */
export const getUsualAnswer = (on: Trigger["on"]): Trigger["answer"] => (on === "pull_request" ? "text" : "link");

const places = ["label", "pull_request"] as const;
const mentions = ["mention"] as const;
const calls = ["http"] as const;
/** The events that begin sessions. */
const begins = [...placeEvents, ...calls];
type ReadField = readonly [events: readonly Trigger["on"][], unset?: unknown];
/** The fields that not all events read: those events, and the value of a field that is not set. */
const readFields: Record<string, ReadField | undefined> = {
  branches: [["checks_failed", "review", ...places]],
  checks: [["checks_failed"]],
  reviews: [["review"]],
  labels: [places],
  paths: [places],
  associations: [["review", ...placeEvents]],
  assignees: [["assigned"]],
  json: [calls],
  place: [calls, null],
  cause: [calls, null],
  assignee: [begins, null],
  priority: [begins, "none"],
  sessionLimitUsd: [begins, triggerSessionUsd],
  members: [mentions, true],
  writers: [mentions, false],
  bots: [mentions],
  attempts: [["checks_failed", "http", "mention"], usualAttempts],
  perDayUsd: [begins, null],
  answer: [["checks_failed", ...placeEvents], "link"],
  share: [placeEvents, false],
} satisfies Record<
  | keyof Trigger["when"]
  | Exclude<keyof Trigger["do"], "action" | "prompt" | "underReview" | "model">
  | keyof Trigger["who"]
  | Exclude<keyof Trigger["caps"], "perDay">
  | "answer"
  | "share",
  ReadField
>;

/** Who called is nobody. */
const authors: ReadField = [placeEvents, null];

/** A field that an event does not read, or not with this value; undefined for any other. */
function findUnread(on: Trigger["on"], name: string, value: unknown): ReadField | undefined {
  const field = name === "assignee" && value === "author" ? authors : readFields[name];
  return field?.[0].includes(on) ? undefined : field;
}

const getUnset = ([, unset = []]: ReadField) => unset;

/** What does not fit the event of a trigger, and why; null if all fits. */
export function findMisfit({
  on,
  when,
  do: asked,
  who,
  caps,
  answer = "link",
  share,
}: Pick<Trigger, "on" | "when" | "do" | "who" | "caps" | "share"> & {
  answer?: Trigger["answer"] | undefined;
}): { path: string[]; message: string } | null {
  // Nobody would read it, and the trigger would run for everybody.
  for (const [group, values] of Object.entries({ when, do: asked, who, caps, "": { answer, share } }))
    for (const [name, value] of Object.entries(values)) {
      const field = findUnread(on, name, value);
      const unset = field && JSON.stringify(getUnset(field));
      if (!field || JSON.stringify(value) === unset) continue;
      const wanted = group === "when" ? "empty" : unset;
      const path = group === "" ? [name] : [group, name];
      return { path, message: `has to be ${wanted} for ${on}: it is for ${field[0].join(", ")}` };
    }
  if (on === "mention") return null;
  const isBeginning = begins.includes(on);
  if (isBeginning === (asked.action !== "send")) return null;
  return { path: ["do", "action"], message: `has to be ${isBeginning ? "start or file" : "send"} for ${on}` };
}

/** The sender of a trigger's message. */
export function createTriggerActor(
  { id, name, on, do: { underReview, sessionLimitUsd }, caps }: Trigger,
  cause: Pick<TriggerActor, "source" | "url" | "login" | "askedBy" | "resumesReview">,
): TriggerActor {
  const rules = { attemptsMax: caps.attempts, returnsToReview: underReview === "resume", sessionLimitUsd };
  return { type: "trigger", triggerId: id, name, ...cause, ...rules, replacesWaiting: on === "checks_failed" };
}
