// Generates a fixture from GitHub's webhook examples: `node test/seams/cut-webhook-examples.ts
// <folder of @octokit/webhooks-examples>`. Of nine megabytes it keeps the events that concern
// sessions, and of users and repositories only what identifies them.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const events = [
  ...["pull_request", "pull_request_review", "pull_request_review_comment", "issues", "issue_comment"],
  ...["push", "check_suite", "check_run", "status", "ping"],
];
/** Long fields that are the same in all examples. */
const dropped =
  /_url$|^_links$|^(permissions|body|commits|head_commit|description|topics|hook|user|owner|sender|organization|events)$/;

interface Example {
  name: string;
  examples: unknown[];
}

/** Who wrote a review or an issue. Of other things, nobody reads it. */
const toUser = ({ id, login, type }: Record<string, unknown>) => ({ id, login, type });

function cut(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cut);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => name === "html_url" || !dropped.test(name));
  return Object.fromEntries(kept.map(([name, item]) => [name, cut(item)]));
}

interface Written {
  user: Record<string, unknown>;
  body: unknown;
}

/**
 * An example. A comment, a review, an issue and a pull request keep their author and their text. An
 * issue and a pull request keep who changed them.
 */
function cutExample(example: unknown): unknown {
  const {
    review,
    issue,
    comment,
    pull_request: pull,
    sender,
  } = example as Partial<Record<"review" | "issue" | "comment" | "pull_request", Written>> &
    Record<string, Written["user"]>;
  const whole = cut(example) as Record<string, object>;
  if (comment) whole.comment = { ...whole.comment, body: comment.body, user: toUser(comment.user) };
  if (pull && sender && !review && !comment)
    return {
      ...whole,
      pull_request: { ...whole.pull_request, body: pull.body, user: toUser(pull.user) },
      sender: toUser(sender),
    };
  if (issue && sender)
    return {
      ...whole,
      issue: { ...whole.issue, body: issue.body, user: toUser(issue.user) },
      sender: toUser(sender),
    };
  return review ? { ...whole, review: { ...whole.review, body: review.body, user: toUser(review.user) } } : whole;
}

const [folder = ""] = process.argv.slice(2);
const all: Example[] = JSON.parse(await readFile(join(folder, "api.github.com/index.json"), "utf8"));
const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
const examples = all
  .filter(({ name }) => events.includes(name))
  .map(({ name, examples }) => [name, examples.map(cutExample)]);
const fixture = { source: `@octokit/webhooks-examples ${version}`, examples: Object.fromEntries(examples) };
await writeFile(join(import.meta.dirname, "webhook-examples.json"), `${JSON.stringify(fixture)}\n`);
