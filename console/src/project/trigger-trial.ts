// Trials of triggers: sample events to begin with, and the words of what each trigger would do.
import type { Schemas } from "@switchyard/client";
import { reasonWords } from "./trigger-form.ts";

type Trial = Schemas["TriggerTrial"];

/** The events that can be tried: GitHub's names, and `http` for a call. */
export const trialEvents = [
  ["issues", "A label is put on an issue"],
  ["issue_comment", "A comment mentions the app"],
  ["pull_request", "A pull request is opened"],
  ["pull_request_review", "A pull request is reviewed"],
  ["check_run", "A check of a commit fails"],
  ["http", "Another program calls"],
] as const;
export type TrialEvent = (typeof trialEvents)[number][0];

/** What a sample is about: the project's repository, and the account that does it. */
export interface SampleFacts {
  repository: string;
  account: { login: string | null; accountId: string | null } | undefined;
}

const sha = "0123456789abcdef0123456789abcdef01234567";
const branch = "svc/name-of-a-session";

/** A payload as GitHub sends it, with the fields that triggers read. */
export function createSample(event: TrialEvent, { repository, account }: SampleFacts): object {
  const by = { id: Number(account?.accountId ?? 0), login: account?.login ?? "octocat", type: "User" };
  const page = `https://github.com/${repository}`;
  const of = { repository: { id: 1, full_name: repository }, sender: by };
  const number = 12;
  const rank = { author_association: "MEMBER" };
  const about = { number, state: "open", title: "The board is empty", body: "Since today.", user: by, ...rank };
  const issue = { ...about, html_url: `${page}/issues/${number}` };
  const head = { ref: branch, sha, repo: { id: 1 } };
  const pull = { ...about, html_url: `${page}/pull/${number}`, draft: false, labels: [], base: { ref: "main" }, head };
  const time = "2026-01-01T12:00:00Z";
  switch (event) {
    case "issues":
      return { action: "labeled", issue, label: { name: "switchyard:go" }, ...of };
    case "issue_comment": {
      const text = { body: "@switchyard Please look at this.", html_url: `${page}/issues/${number}#1`, ...rank };
      return { action: "created", issue, comment: { id: 1, node_id: "C_1", ...text, user: by }, ...of };
    }
    case "pull_request":
      return { action: "opened", pull_request: { ...pull, merged: false, updated_at: time }, ...of };
    case "pull_request_review": {
      const review = {
        id: 1,
        node_id: "R_1",
        state: "changes_requested",
        body: "Please add a test.",
        user: by,
        ...rank,
      };
      return {
        action: "submitted",
        review: { ...review, html_url: `${page}/pull/${number}#1` },
        pull_request: pull,
        ...of,
      };
    }
    case "check_run": {
      const run = { name: "test", head_sha: sha, started_at: time, completed_at: time, conclusion: "failure" };
      const check_run = { ...run, app: { id: 1 }, check_suite: { head_branch: branch }, pull_requests: [] };
      return { action: "completed", check_run, ...of };
    }
    case "http":
      return { incident: { id: "INC-7" }, event: { id: "e1" }, text: "The board is empty." };
  }
}

/** The JSON of a text; null for a text that is not JSON. */
export function parsePayload(text: string): { payload: unknown } | null {
  try {
    return { payload: JSON.parse(text) };
  } catch {
    return null;
  }
}

const actions: Record<Trial["action"], string> = {
  send: "Sends a message to its session",
  start: "Starts a session",
  file: "Puts a session into the Backlog",
};

/** The reasons that only trials have. */
const trialReasons: Record<string, string> = {
  disabled: "It is off.",
  other_event: "It is for another event.",
  ignored: "Nothing in this event concerns it.",
  other_repository: "The event is of another repository.",
  not_a_member: "The account is of nobody who may ask: a member who connected it and may push.",
  invalid_body: "The body has no text or number at its place or its cause.",
};

const answers: Record<Trial["answer"], string | null> = {
  none: null,
  link: "A comment has the state and the link of the session.",
  text: "A comment has the state and the link of the session, and the answer.",
};

/** What a trigger would do, in words. A newer service may have other reasons. */
export function describeTrial({ matches, action, reason, answer, sessionId }: Omit<Trial, "triggerId">): {
  glyph: string;
  tone: string;
  word: string;
  why: string | null;
} {
  const why = reason && (trialReasons[reason] ?? reasonWords[reason] ?? reason);
  if (!matches) return { glyph: "○", tone: "text-quiet", word: "Does not run", why };
  if (reason !== null) return { glyph: "○", tone: "text-quiet", word: "Is skipped", why };
  const word = sessionId === null || action === "send" ? actions[action] : actions.send;
  return { glyph: "✓", tone: "text-green-ink", word, why: answers[answer] ?? null };
}
