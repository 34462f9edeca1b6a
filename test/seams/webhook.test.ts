// Webhooks, tested with GitHub's own examples.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ZodError } from "zod";
import { createWebhookReader } from "../../src/code-host/webhook.ts";

// What a test reads of an example is what GitHub puts there.
// biome-ignore lint/suspicious/noExplicitAny: each kind of event has a shape of its own
type Payload = any;

const { examples }: { examples: Record<string, Payload[]> } = JSON.parse(
  readFileSync(join(import.meta.dirname, "webhook-examples.json"), "utf8"),
);
/** Reads a payload as it comes, in pieces. */
function readWebhook(event: string, payload: Payload) {
  const reader = createWebhookReader(event);
  const bytes = new TextEncoder().encode(JSON.stringify(payload));
  for (let at = 0; at < bytes.length; at += 999) reader?.read(bytes.subarray(at, at + 999));
  return reader?.end() ?? null;
}

const of = (event: string) => examples[event] ?? [];
const all = Object.entries(examples).flatMap(([event, payloads]) =>
  payloads.map((payload, place) => [event, payload.action ?? "", place, payload] as const),
);

/** The repository of an example, by its id. */
const named = ({ repository }: Payload) => ({ repositoryId: repository.id, repository: repository.full_name });

test("there are examples of every event that is handled", () => {
  for (const event of [
    "pull_request",
    "pull_request_review",
    "issues",
    "issue_comment",
    "push",
    "check_suite",
    "check_run",
    "status",
  ])
    expect(of(event).length).toBeGreaterThan(3);
});

test.each(all)("%s %s, example %s, is read", (event, _, __, payload) => {
  const read = readWebhook(event, payload);
  if (event === "ping") return expect(read).toBeNull();
  if (read) expect(read.repository).toEqual(named(payload));
});

test.each(of("pull_request"))("a pull request has its state after the event: $action", (payload) => {
  const { number, html_url: url, state, draft, merged, merged_by, head, base, updated_at } = payload.pull_request;
  const open = draft ? "draft" : "open";
  const told = merged ? "merged" : state === "closed" ? "closed" : open;
  expect(readWebhook("pull_request", payload)).toEqual({
    type: "report",
    repository: named(payload),
    branches: [head.ref],
    event: {
      type: "pull-request",
      number,
      url,
      state: told,
      base: base.ref,
      sha: head.sha,
      changedAt: Date.parse(updated_at),
      ...(merged_by ? { mergedBy: { hostUserId: `${merged_by.id}`, login: merged_by.login } } : {}),
    },
  });
});

test("a merge has the user who merged", () => {
  const [example] = of("pull_request");
  const pullRequest = { ...example.pull_request, state: "closed", merged: true, merged_by: { id: 5, login: "ada" } };
  expect(readWebhook("pull_request", { ...example, pull_request: pullRequest })).toMatchObject({
    event: { state: "merged", mergedBy: { hostUserId: "5", login: "ada" } },
  });
});

test("a pull request from a fork is ignored, even if the fork is deleted", () => {
  const [payload] = of("pull_request");
  for (const repo of [{ ...payload.pull_request.head.repo, id: 1 }, null]) {
    const head = { ...payload.pull_request.head, repo };
    expect(readWebhook("pull_request", { ...payload, pull_request: { ...payload.pull_request, head } })).toBeNull();
  }
});

test("a push concerns its branch; one of a tag, and the deletion of a branch, is ignored", () => {
  for (const payload of of("push")) {
    const isTag = !payload.ref.startsWith("refs/heads/");
    const told = {
      type: "push",
      repository: named(payload),
      branch: payload.ref.slice(11),
      isForced: payload.forced,
    };
    expect(readWebhook("push", payload)).toEqual(isTag || payload.deleted ? null : told);
  }
  const [payload] = of("push");
  const made = { ...payload, ref: "refs/heads/svc/a/b", deleted: false };
  expect(readWebhook("push", made)).toMatchObject({ branch: "svc/a/b" });
  expect(readWebhook("push", { ...made, deleted: true })).toBeNull();
});

const conclusions = [
  ["success", false],
  ["neutral", false],
  ["skipped", false],
  ["failure", true],
  ["cancelled", true],
  ["timed_out", true],
  ["action_required", true],
  ["startup_failure", true],
  ["stale", null],
  [null, null],
] as const;

test.each(["check_suite", "check_run"] as const)("a %s has its conclusion, or begins", (event) => {
  for (const payload of of(event)) {
    for (const [conclusion, hasFailed] of conclusions) {
      const read = readWebhook(event, { ...payload, [event]: { ...payload[event], conclusion } });
      const begins = conclusion === null && !["completed", "requested_action"].includes(payload.action);
      const of = { type: "check", sha: payload[event].head_sha };
      if (begins) expect(read).toMatchObject({ type: "report", event: { ...of, hasFailed: false, hasStarted: true } });
      else if (payload.action !== "completed" || hasFailed === null) expect(read).toBeNull();
      else expect(read).toMatchObject({ event: { ...of, hasFailed } });
    }
  }
});

test.each(["check_suite", "check_run"] as const)(
  "a %s concerns branches whose head it checked, of no fork",
  (event) => {
    const payload = of(event).find(({ action }) => action === "completed");
    const [proposed] = payload[event].pull_requests;
    const about = (...pull_requests: unknown[]) =>
      readWebhook(event, { ...payload, [event]: { ...payload[event], pull_requests } });
    const fork = { ...proposed, head: { ...proposed.head, repo: { id: 1 } } };
    const moved = { ...proposed, head: { ...proposed.head, sha: "0" } };
    expect(about(fork, moved, proposed)).toMatchObject({ branches: [proposed.head.ref] });
    expect(about(fork, moved)).toMatchObject({ branches: [] });
  },
);

test.each(["check_suite", "check_run"] as const)(
  "a %s of a commit without a pull request concerns the pushed branch, if that is its head",
  (event) => {
    const payload = of(event).find(({ action }) => action === "completed");
    const from = (head_branch: string | null, changes: object = {}, ofCheck: object = {}) => {
      const checked = { ...payload[event], head_branch, check_suite: { ...payload[event].check_suite, head_branch } };
      return readWebhook(event, { ...payload, ...changes, [event]: { ...checked, pull_requests: [], ...ofCheck } });
    };
    const reported = { type: "check", sha: payload[event].head_sha };
    expect(from("svc/own")).toMatchObject({
      repository: named(payload),
      type: "check-of-branch",
      branch: "svc/own",
      event: reported,
    });
    // As in GitHub's event of a fork's.
    expect(from(null)).toMatchObject({ branches: [] });
    // Its start is shown nowhere.
    for (const action of ["created", "requested", "rerequested", "queued", "in_progress"])
      expect(from("svc/own", { action }, { conclusion: null })).toMatchObject({ branches: [] });
  },
);

test("a status concerns the branches whose head is its commit", () => {
  for (const payload of of("status")) {
    const [branch] = payload.branches;
    for (const [state, hasFailed] of [
      ["success", false],
      ["pending", false],
      ["failure", true],
      ["error", true],
    ] as const) {
      const read = readWebhook("status", { ...payload, state, sha: branch.commit.sha });
      const check = `status ${payload.context}`;
      expect(read).toMatchObject({ branches: [branch.name], event: { hasFailed, check } });
      expect(JSON.stringify(read).includes("hasStarted")).toBe(state === "pending");
    }
    expect(readWebhook("status", { ...payload, sha: "0" })).toMatchObject({ branches: [] });
  }
});

test("the URL of a pull request is an http URL", () => {
  const [payload] = of("pull_request");
  for (const html_url of ["javascript:alert(1)", "data:text/html,x", ""]) {
    const told = { ...payload, pull_request: { ...payload.pull_request, html_url } };
    expect(() => readWebhook("pull_request", told)).toThrow(ZodError);
  }
});

test.each(["issue_reaction", "installation", "constructor", "__proto__", ""])(
  "any other event is ignored: %j",
  (event) => {
    expect(readWebhook(event, {})).toBeNull();
  },
);

test.each([
  "pull_request",
  "issues",
  "issue_comment",
  "pull_request_review_comment",
  "push",
  "check_suite",
  "check_run",
  "status",
])("a %s in another format than GitHub's is refused", (event) => {
  for (const payload of [undefined, null, [], {}, { repository: {} }, "text"])
    expect(() => readWebhook(event, payload)).toThrow(ZodError);
});

test("a repository's rename or transfer is read by its id; other changes are ignored", () => {
  const repository = { id: 7, full_name: "acme/new" };
  const renamed = { type: "renamed", repository: { repositoryId: 7, repository: "acme/new" } };
  for (const action of ["renamed", "transferred"])
    expect(readWebhook("repository", { action, repository })).toEqual(renamed);
  for (const action of ["deleted", "created", "archived"])
    expect(readWebhook("repository", { action, repository })).toBeNull();
});

test("a payload nested without an end is read no further", () => {
  const reader = createWebhookReader("push");
  reader?.read(new TextEncoder().encode(`{"commits": ${"[".repeat(1_000_000)}`));
  expect(() => reader?.end()).toThrow(ZodError);
});

test.each(of("pull_request_review"))("a review is read once it is submitted: $action", (payload) => {
  const { id: reviewId, state, body, html_url: url, user, author_association: association } = payload.review;
  const { number, head } = payload.pull_request;
  const by = { hostUserId: `${user.id}`, login: user.login };
  const event = { type: "review", number, reviewId, state, body: body ?? "", url, by, association };
  expect(readWebhook("pull_request_review", payload)).toEqual(
    payload.action === "submitted" ? { type: "report", repository: named(payload), branches: [head.ref], event } : null,
  );
});

test.each<[string, (payload: Payload) => void]>([
  ["that approves", ({ review }) => Object.assign(review, { state: "approved" })],
  ["by a program", ({ review }) => Object.assign(review.user, { type: "Bot" })],
  ["by a deleted account", ({ review }) => Object.assign(review, { user: null })],
  ["of a fork's pull request", ({ pull_request }) => Object.assign(pull_request.head.repo, { id: 1 })],
  ["of a deleted fork's pull request", ({ pull_request }) => Object.assign(pull_request.head, { repo: null })],
])("a review %s concerns no session", (_, change) => {
  const [payload] = structuredClone(of("pull_request_review"));
  if (!payload) throw new Error("There is no example.");
  change(payload);
  expect(readWebhook("pull_request_review", payload)).toBeNull();
});

const written = [...of("issue_comment"), ...of("pull_request_review_comment")].map((payload) => ({
  event: payload.issue ? "issue_comment" : "pull_request_review_comment",
  action: payload.action,
  payload,
}));
test.each(written)("a comment that mentions somebody is read once it is written: $event $action", (example) => {
  const { event, action, payload } = example;
  expect(readWebhook(event, payload)).toBeNull();
  const { comment, issue, pull_request: proposed } = structuredClone(payload);
  comment.body = "Hello, @switchyard.";
  const on = issue ?? proposed;
  const expected = {
    ...{ kind: issue ? "conversation" : "line", id: comment.id, nodeId: comment.node_id, url: comment.html_url },
    body: comment.body,
    by: { hostUserId: String(comment.user.id), login: comment.user.login, isBot: comment.user.type === "Bot" },
    association: comment.author_association,
    lines: issue ? null : expect.stringContaining(comment.path),
    on: expect.objectContaining({ kind: issue && !issue.pull_request ? "issue" : "pull_request", number: on.number }),
  };
  expect(readWebhook(event, { ...payload, comment })).toEqual(
    action === "created" ? { type: "commented", repository: named(payload), comment: expected } : null,
  );
});

test.each(["submitted", "edited", "dismissed"])("a review is a comment too, once it is submitted: %s", (action) => {
  const [example] = structuredClone(of("pull_request_review"));
  const payload = { ...example, action };
  payload.review.body = "@switchyard, look.";
  const reader = createWebhookReader("pull_request_review");
  reader?.read(new TextEncoder().encode(JSON.stringify(payload)));
  const { id, node_id: nodeId } = payload.review;
  const comment = expect.objectContaining({ kind: "review", id, nodeId, body: payload.review.body, lines: null });
  const read = { type: "commented", repository: named(payload), comment };
  expect(reader?.endComment()).toEqual(action === "submitted" ? read : null);
});

test.each(of("issues"))("an issue is read once it is labeled or assigned: $action", (payload) => {
  const { number, html_url: url, title, body, user, author_association: association } = payload.issue;
  const by = { hostUserId: `${payload.sender.id}`, login: payload.sender.login };
  const texts = { title, body: body ?? "", author: user.login, association };
  const given: Record<string, object> = {
    labeled: { label: payload.label?.name },
    assigned: { label: "", assignee: payload.assignee?.login },
  };
  const of = given[payload.action];
  expect(readWebhook("issues", payload)).toEqual(
    of ? { type: "labeled", repository: named(payload), issue: { number, url, ...texts, ...of, by } } : null,
  );
});

const ignored: [string, (payload: Payload) => void][] = [
  ["by a program", ({ sender }) => Object.assign(sender, { type: "Bot" })],
  ["by the organization", ({ sender }) => Object.assign(sender, { type: "Organization" })],
  ["of a closed issue", ({ issue }) => Object.assign(issue, { state: "closed" })],
  ["of a pull request", ({ issue }) => Object.assign(issue, { pull_request: { url: "https://api.github.com" } })],
  ["of what is deleted", (payload) => Object.assign(payload, { label: null, assignee: null })],
  ["that is removed", (payload) => Object.assign(payload, { action: `un${payload.action}` })],
  ["that is part of an edit", (payload) => Object.assign(payload, { action: "edited" })],
];
test.each(["labeled", "assigned"].flatMap((of) => ignored.map(([what, change]) => [of, what, change] as const)))(
  "an issue %s %s is ignored",
  (wanted, _, change) => {
    const [payload] = structuredClone(of("issues").filter(({ action }) => action === wanted));
    if (!payload) throw new Error("There is no example.");
    expect(readWebhook("issues", payload)).not.toBeNull();
    change(payload);
    expect(readWebhook("issues", payload)).toBeNull();
  },
);

test("an issue of a deleted account has no author; no text is an empty one, and the longest is read whole", () => {
  const [payload] = structuredClone(of("issues").filter(({ action }) => action === "labeled"));
  Object.assign(payload?.issue, { user: null, body: null });
  expect(readWebhook("issues", payload)).toMatchObject({ issue: { author: null, body: "" } });
  const body = "\u0001".repeat(65_536);
  Object.assign(payload?.issue, { body });
  expect(readWebhook("issues", payload)).toMatchObject({ issue: { body } });
});
