// The page of a pull request, with buttons for its actions.

import { html, type Markup } from "../../markup.ts";
import type { Comment } from "../comments.ts";
import type { HistoryCommit } from "../history.ts";
import { usualLogin } from "../people.ts";
import type { PullRequest } from "../pull-request.ts";
import { renderComments, renderLabels } from "./issue-page.ts";
import { commitLink, renderBadge, renderButton, renderPage } from "./page-frame.ts";
import { commitRows, getState } from "./repository-page.ts";

export interface PullRequestSeen {
  name: string;
  pullRequest: PullRequest;
  /** The head of its branch; undefined once the branch is deleted. */
  sha: string | undefined;
  commits: HistoryCommit[];
  checks: Markup;
  comments: readonly Comment[];
  /** Why the last action failed; null if it did not. */
  refusal: string | null;
}

/** Renders a pull request. */
export function renderPullRequestPage({
  name,
  pullRequest,
  sha,
  commits,
  checks,
  comments,
  refusal,
}: PullRequestSeen): string {
  const {
    number,
    title,
    body,
    head,
    base,
    reviewers = [],
    reviews = [],
    labels = [],
    author = usualLogin,
  } = pullRequest;
  const own = `/${name}/pull/${number}`;
  const state = getState(pullRequest);
  const content = html`<h1>${title}</h1>
<p>${renderBadge(state)} <span class="quiet">${head} into ${base}</span> ${sha !== undefined && commitLink(name, sha)}</p>
${refusal !== null && html`<p class="notice" role="status">${refusal}</p>`}
<div class="buttons">${actions(own, state)}</div>
<p class="said">${body ?? "No description."}</p>
${reviewers.length > 0 && html`<h2>Asked to review</h2><p>${reviewers.join(", ")}</p>`}
${reviews.length > 0 && html`<h2>Reviews</h2><p>${reviews.map(({ login, state }) => `${login}: ${state}`).join(", ")}</p>`}
${renderLabels(own, labels, author)}
<h2>Checks</h2>
${checks}
${
  sha !== undefined &&
  html`<div class="buttons">${renderButton("Let the check pass", `/${name}/checks`, { sha, back: own, conclusion: "success" }, "plain")}
${renderButton("Let it fail", `/${name}/checks`, { sha, back: own, conclusion: "failure" }, "plain")}
${renderButton("Let it begin", `/${name}/checks`, { sha, back: own, conclusion: "" }, "plain")}</div>`
}
<h2>Commits</h2>
${commitRows(name, commits)}
<div class="buttons">${renderButton("Commit as somebody else", `/${name}/commits`, { branch: head, back: own }, "plain")}</div>
${renderComments(own, comments)}`;
  return renderPage({ title: `${title} (${number})`, trail: [[name, `/${name}`]], content });
}

function actions(own: string, state: string): Markup[] {
  const act = (label: string, action: string, kind = "plain") => renderButton(label, own, { action }, kind);
  switch (state) {
    case "open":
      return [
        act("Merge", "merge", ""),
        act("Approve it", "approve"),
        act("Ask for changes", "reject"),
        act("Turn into a draft", "draft"),
        act("Close", "close"),
      ];
    case "draft":
      return [act("Mark as ready", "ready", ""), act("Close", "close")];
    case "closed":
      return [act("Reopen", "reopen", "")];
    default:
      return [];
  }
}
