// The rules of the triggers' form: what is sent, what is wrong with it, and the words of its runs.
import type { Schemas } from "@switchyard/client";
import { formatConditions, parseConditions } from "./trigger-conditions.ts";

export type Trigger = Schemas["Triggers"]["triggers"][number];
type Review = Trigger["when"]["reviews"][number];
type Association = Trigger["when"]["associations"][number];

/** A trigger while it is edited: patterns one a line, numbers as they are typed. */
export interface EditedTrigger {
  key: string;
  /** Null for a new one. */
  id: string | null;
  name: string;
  enabled: boolean;
  on: Trigger["on"];
  branches: string;
  checks: string;
  reviews: readonly Review[];
  labels: string;
  paths: string;
  place: string;
  cause: string;
  action: Trigger["do"]["action"];
  prompt: string;
  underReview: Trigger["do"]["underReview"];
  perDay: string;
  attempts: string;
  writers: boolean;
  bots: string;
  answer: Trigger["answer"];
  share: boolean;
  assignee: Trigger["do"]["assignee"];
  // A form that an older page kept has none of these.
  /** What it needs of the code host before it runs. */
  lacks?: readonly string[];
  /** An older page kept none of these either. */
  associations?: readonly Association[];
  assignees?: string;
  conditions?: string;
  priority?: Trigger["do"]["priority"];
  /** Null for the usual one. */
  model?: string | null;
  sessionLimitUsd?: string;
  /** Empty for no limit. */
  perDayUsd?: string;
}

export const events: [on: Trigger["on"], word: string][] = [
  ["checks_failed", "Checks of a pull request fail"],
  ["review", "A member reviews a pull request"],
  ["mention", "A comment mentions the app"],
  ["label", "A member labels an issue or a pull request"],
  ["assigned", "A member assigns an issue"],
  ["pull_request", "A member opens a pull request"],
  ["http", "Another program calls it"],
];

/** True for a trigger that may be about a pull request of nobody here. */
export const isOfPlace = (on: Trigger["on"]): boolean => on === "label" || on === "pull_request";

/** True for an event of a branch. */
export const hasBranches = (on: Trigger["on"]): boolean => isOfPlace(on) || on === "checks_failed" || on === "review";

/** True for a trigger that may start or file sessions; the others send to one that exists. */
export const isBeginning = (on: Trigger["on"]): boolean =>
  isOfPlace(on) || on === "http" || on === "mention" || on === "assigned";

export const addWords: Record<Trigger["on"], string> = {
  checks_failed: "Add one for failed checks",
  review: "Add one for reviews",
  mention: "Add one for mentions",
  label: "Add one for labels",
  assigned: "Add one for assigned issues",
  pull_request: "Add one for pull requests",
  http: "Add one for a program",
};

const usualNames: Record<Trigger["on"], string> = {
  checks_failed: "Fix failed checks",
  review: "Answer reviews",
  mention: "Answer mentions",
  label: "Start labeled issues",
  assigned: "Start assigned issues",
  pull_request: "Review pull requests",
  http: "Look into incidents",
};

export const reviewWords: [review: Review, word: string][] = [
  ["changes_requested", "Asks for changes"],
  ["commented", "Comments"],
];

export const associationWords: [association: Association, word: string][] = [
  ["owner", "Owners of the repository"],
  ["member", "Members of its organization"],
  ["collaborator", "Collaborators"],
  ["contributor", "Those who committed before"],
  ["first_time_contributor", "Those who did not commit before"],
  ["first_timer", "Those who committed nowhere before"],
  ["mannequin", "Placeholders of an import"],
  ["none", "All others"],
];

/** True for an event whose messages to a session have a limit until a person writes. */
export const hasAttempts = (on: Trigger["on"]): boolean => on === "checks_failed" || on === "mention" || on === "http";
const usualAttempts = 3;

/** True for an event with an author, whose association to the repository may be a filter. */
export const hasAuthor = (on: Trigger["on"]): boolean => on !== "checks_failed" && on !== "http";
export const usualSessionUsd = "5";

/** True for an event of an issue or a pull request, where a comment answers. */
export const hasComment = (on: Trigger["on"]): boolean => isBeginning(on) && on !== "http";

/** What a comment shows unless somebody chose: a review belongs on its pull request. */
export const getUsualAnswer = (on: Trigger["on"]): Trigger["answer"] => (on === "pull_request" ? "text" : "link");

export const createTrigger = (key: string, on: Trigger["on"]): EditedTrigger => ({
  ...{ key, id: null, name: usualNames[on], enabled: true, on },
  ...{ branches: "", checks: "", reviews: [], labels: "", paths: "", place: "", cause: "", action: "start" },
  ...{ prompt: "", underReview: "notice", perDay: "20", attempts: String(usualAttempts) },
  ...{ model: null, sessionLimitUsd: usualSessionUsd, perDayUsd: "" },
  ...{ writers: false, bots: "", answer: getUsualAnswer(on), share: false, assignee: null, lacks: [] },
  ...{ associations: [], assignees: "", conditions: "", priority: "none" },
});

/** Only a mention may send and begin nothing. */
const toAction = ({ on, action }: Pick<EditedTrigger, "on" | "action">) =>
  action === "send" && on !== "mention" ? "start" : action;

export function toEditedTriggers(triggers: readonly Trigger[]): EditedTrigger[] {
  return triggers.map(({ id, name, enabled, on, when, do: asked, caps, who, answer, share, lacks }) => ({
    ...{ key: id, id, name, enabled, on },
    ...{ branches: when.branches.join("\n"), checks: when.checks.join("\n"), reviews: when.reviews },
    ...{
      labels: when.labels.join("\n"),
      paths: when.paths.join("\n"),
      place: when.place ?? "",
      cause: when.cause ?? "",
    },
    // A trigger of the other kind begins with a start if its event is changed.
    action: toAction({ on, action: asked.action }),
    ...{ prompt: asked.prompt ?? "", underReview: asked.underReview },
    ...{ perDay: String(caps.perDay), attempts: String(caps.attempts), model: asked.model },
    ...{ sessionLimitUsd: String(asked.sessionLimitUsd), perDayUsd: String(caps.perDayUsd ?? "") },
    ...{ writers: who.writers, bots: who.bots.join("\n"), answer, share, assignee: asked.assignee, lacks },
    ...{ associations: when.associations, assignees: when.assignees.join("\n") },
    ...{ conditions: formatConditions(when.json), priority: asked.priority },
  }));
}

/** The patterns in a text, one a line, each once. */
function readPatterns(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ""))];
}

/** The triggers as they are sent. Filters of the other event stay empty. */
export function toTriggers(edited: readonly EditedTrigger[]) {
  return edited.map((one) => {
    const isOfChecks = one.on === "checks_failed";
    const textOf = (on: Trigger["on"], text: string) => (one.on === on && text.trim() !== "" ? text.trim() : null);
    return {
      ...(one.id === null ? {} : { id: one.id }),
      ...{ name: one.name.trim(), enabled: one.enabled, on: one.on },
      when: {
        branches: hasBranches(one.on) ? readPatterns(one.branches) : [],
        checks: isOfChecks ? readPatterns(one.checks) : [],
        reviews:
          one.on === "review"
            ? reviewWords.map(([review]) => review).filter((review) => one.reviews.includes(review))
            : [],
        labels: isOfPlace(one.on) ? readPatterns(one.labels) : [],
        paths: isOfPlace(one.on) ? readPatterns(one.paths) : [],
        associations: hasAuthor(one.on)
          ? associationWords.map(([known]) => known).filter((known) => one.associations?.includes(known))
          : [],
        assignees: one.on === "assigned" ? readPatterns(one.assignees ?? "") : [],
        json: one.on === "http" ? parseConditions(one.conditions ?? "").conditions : [],
        place: textOf("http", one.place),
        cause: textOf("http", one.cause),
      },
      do: {
        action: isBeginning(one.on) ? toAction(one) : ("send" as const),
        prompt: one.prompt.trim() === "" ? null : one.prompt.trim(),
        underReview: one.underReview,
        assignee: isBeginning(one.on) && !(one.on === "http" && one.assignee === "author") ? one.assignee : null,
        priority: isBeginning(one.on) ? (one.priority ?? "none") : "none",
        model: one.model ?? null,
        sessionLimitUsd: Number((isBeginning(one.on) && one.sessionLimitUsd) || usualSessionUsd),
      },
      who: {
        members: true,
        writers: one.on === "mention" && one.writers,
        bots: one.on === "mention" ? readPatterns(one.bots) : [],
      },
      caps: {
        ...{ perDay: Number(one.perDay), attempts: hasAttempts(one.on) ? Number(one.attempts) : usualAttempts },
        perDayUsd: isBeginning(one.on) && one.perDayUsd?.trim() ? Number(one.perDayUsd) : null,
      },
      answer: hasComment(one.on) || one.on === "checks_failed" ? one.answer : "link",
      share: hasComment(one.on) && one.answer !== "none" && one.share,
    };
  });
}

const isNumber = (text: string, max: number) => /^\d+$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= max;
const isAmount = (text: string) => text.trim() !== "" && Number(text) >= 0.01 && Number(text) <= usdMax;
const usdMax = 1_000_000;
const perDayMax = 500;
const attemptsMax = 10;

/** Why triggers cannot be saved; null where they can. */
export function findTriggerMistake(edited: readonly EditedTrigger[]): string | null {
  for (const edit of edited) {
    const { name, on, perDay, attempts, conditions = "", sessionLimitUsd = usualSessionUsd, perDayUsd = "" } = edit;
    if (name.trim() === "") return "A trigger has no name.";
    const [mistake] = on === "http" ? parseConditions(conditions).mistakes : [];
    if (mistake !== undefined) return `“${name}”: invalid condition: ${mistake}`;
    if (!isNumber(perDay, perDayMax)) return `“${name}”: messages per day must be a number from 1 to ${perDayMax}.`;
    if (hasAttempts(on) && !isNumber(attempts, attemptsMax))
      return `“${name}”: attempts must be a number from 1 to ${attemptsMax}.`;
    const isDay = perDayUsd.trim() === "" || isAmount(perDayUsd);
    if (isBeginning(on) && !(isAmount(sessionLimitUsd) && isDay))
      return `“${name}”: a limit must be at least 0.01 US dollars.`;
  }
  return null;
}

const commentWords: Record<Trigger["answer"], string> = {
  none: "writes no comment",
  link: "its comment has the link of the session",
  text: "its comment has the answer",
};

/** Triggers as lines, for people. */
export function describeTriggers(triggers: readonly Trigger[]): string[] {
  return triggers.flatMap(({ name, enabled, on, when, do: asked, caps, who, answer, share }) => [
    `${name}${enabled ? "" : " (off)"}: ${events.find(([one]) => one === on)?.[1] ?? on}`,
    ...(
      [
        ["branches", when.branches],
        ["checks", when.checks],
        ["reviews", when.reviews],
        ["labels", when.labels],
        ["files", when.paths],
        ["authors", when.associations],
        ["assigned to", when.assignees],
        ["conditions", when.json.map((one) => formatConditions([one]))],
        ["one session for each", when.place === null ? [] : [when.place]],
        ["counts once", when.cause === null ? [] : [when.cause]],
      ] as const
    ).flatMap(([what, values]) => (values.length > 0 ? [`  ${what}: ${values.join(", ")}`] : [])),
    ...(asked.action === "send"
      ? []
      : [`  ${asked.action === "file" ? "puts a session into the Backlog" : "starts a session"}`]),
    ...(asked.assignee === null
      ? []
      : [`  for ${asked.assignee === "author" ? "the member who asked" : "the service"}`]),
    ...(asked.priority === "none" ? [] : [`  priority ${asked.priority}`]),
    ...(hasComment(on) ? [`  ${commentWords[answer]}`] : []),
    ...(share ? ["  its comment has the public link of the preview"] : []),
    ...(who.writers ? ["  also accounts with push access that are not members"] : []),
    ...(who.bots.length > 0 ? [`  programs: ${who.bots.join(", ")}`] : []),
    ...(asked.underReview === "resume" ? ["  a session Under Review works again"] : []),
    ...(asked.prompt === null ? [] : [`  ${asked.prompt}`]),
    ...(asked.model === null ? [] : [`  on ${asked.model}`]),
    ...(isBeginning(on) ? [`  $${asked.sessionLimitUsd} per session`] : []),
    ...(caps.perDayUsd === null ? [] : [`  $${caps.perDayUsd} per day`]),
    `  ${caps.attempts} attempts, ${caps.perDay} messages per day`,
  ]);
}

const reasons: Record<NonNullable<Schemas["TriggerRun"]["reason"]>, string> = {
  cap_attempts: "The attempts of the session are used up.",
  cap_day: "The messages of the day are used up.",
  cap_spend: "A spend limit was reached: of the trigger, its session or the workspace.",
  base_fails: "The same checks fail on the branch to merge into.",
  not_ours: "The session did not push the commit, the place has no session, or the pull request is a session’s own.",
  under_review: "The session is Under Review.",
  ended: "The session has ended.",
  queue_full: "Up next is full.",
  no_credentials: "The workspace has no credential for the session’s model.",
  fork: "The pull request is from a fork.",
  off: "Automatic repairs of the session are switched off.",
  duplicate: "The same cause has a run already.",
  filters: "Its filters do not match.",
  backlog: "Its session waits in the Backlog.",
  interrupted: "The service stopped during the call.",
  refused: "The message was refused.",
};

/** Why a run did nothing, by its reason. */
export const reasonWords: Readonly<Record<string, string>> = reasons;

const lackWords: Record<string, string> = {
  checks: "the permission Checks: Read-only",
  issues: "the permission Issues: Read and write",
  pull_requests: "the permission Pull requests: Read and write",
  webhooks: "a webhook secret, without which the service receives no events",
};

/** What a trigger lacks before it can run; null for nothing. */
export function describeLacks(lacks: readonly string[] = []): string | null {
  const missing = lacks.map((name) => lackWords[name] ?? `the event ${name}`);
  return missing.length === 0
    ? null
    : `It does not run yet, or cannot answer, because the app lacks ${missing.join(" and ")}.`;
}

/** What a run did, in words. A newer service may have other reasons. */
export function describeRun({ outcome, reason }: Pick<Schemas["TriggerRun"], "outcome" | "reason">): {
  glyph: string;
  tone: string;
  word: string;
  why: string | null;
} {
  if (outcome === null) return { glyph: "●", tone: "text-accent", word: "running", why: null };
  if (outcome !== "skipped") return { glyph: "✓", tone: "text-green-ink", word: outcome, why: null };
  return { glyph: "○", tone: "text-quiet", word: "skipped", why: reason && (reasonWords[reason] ?? reason) };
}
