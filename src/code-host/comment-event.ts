// GitHub's webhooks of comments: parses one that may mention the service's app.
import * as z from "zod";
import type { HostComment, Webhook, WebhookRepository } from "./rules/webhook.ts";

const page = z.url({ protocol: /^https?$/ });
const text = z.string().nullish();
const written = z.object({
  id: z.int(),
  node_id: z.string(),
  body: z.string().nullable(),
  html_url: page,
  // Null once the account is deleted.
  user: z.object({ id: z.int(), login: z.string(), type: z.string() }).nullable(),
  author_association: text,
  path: text,
  line: z.int().nullish(),
  diff_hunk: text,
});
const discussed = z.object({
  number: z.int(),
  title: z.string(),
  body: text,
  user: z.object({ login: z.string() }).nullish(),
  // GitHub has this for pull requests, which are issues, too.
  pull_request: z.unknown().optional(),
});

const kinds: Record<string, { kind: HostComment["kind"]; of: "comment" | "review"; on: string; action: string }> = {
  issue_comment: { kind: "conversation", of: "comment", on: "issue", action: "created" },
  pull_request_review_comment: { kind: "line", of: "comment", on: "pull_request", action: "created" },
  pull_request_review: { kind: "review", of: "review", on: "pull_request", action: "submitted" },
};

const within = (parent: string, ...paths: string[]) => paths.map((path) => `${parent}.${path}`);

/** The paths that are read of each kind of event. */
export const commentPaths: Record<string, readonly string[]> = Object.fromEntries(
  Object.entries(kinds).map(([event, { of, on }]) => [
    event,
    [
      ...within(of, "id", "node_id", "body", "html_url", "user", "user.id", "user.login", "user.type"),
      ...within(of, "author_association", "path", "line", "diff_hunk"),
      ...within(on, "number", "title", "body", "user", "user.login"),
      ...(on === "issue" ? ["issue.pull_request"] : []),
    ],
  ]),
);

/** The comment of an event; null if it mentions nobody, or was only changed. */
export function parseComment(
  event: string,
  { action, repository, ...fields }: { action: string; repository: WebhookRepository; [field: string]: unknown },
): Extract<Webhook, { type: "commented" }> | null {
  const known = kinds[event];
  if (!known || action !== known.action) return null;
  const {
    id,
    node_id: nodeId,
    body,
    html_url: url,
    user,
    author_association: association,
    path,
    line,
    diff_hunk: hunk,
  } = written.parse(fields[known.of]);
  if (!user || !body?.includes("@")) return null;
  const { number, title, body: about, user: author, pull_request: asPullRequest } = discussed.parse(fields[known.on]);
  const isPullRequest = known.on === "pull_request" || Boolean(asPullRequest);
  return {
    type: "commented",
    repository,
    comment: {
      ...{ kind: known.kind, id, nodeId, url, body },
      by: { hostUserId: String(user.id), login: user.login, isBot: user.type !== "User" },
      ...(association ? { association } : {}),
      lines: path ? `${path}${line ? `:${line}` : ""}\n${hunk ?? ""}` : null,
      on: {
        kind: isPullRequest ? "pull_request" : "issue",
        ...{ number, title, body: about ?? "", author: author?.login ?? null },
      },
    },
  };
}
