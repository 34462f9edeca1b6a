// The page of an issue, where a visitor sets labels with each account, and the form for a new
// issue.
import { html, type Markup } from "../../markup.ts";
import type { Comment } from "../comments.ts";
import { type Issue, otherLogins } from "../issues.ts";
import { people } from "../people.ts";
import { renderBadge, renderButton, renderPage } from "./page-frame.ts";

/** Renders an issue. */
export function renderIssuePage(name: string, issue: Issue, comments: readonly Comment[]): string {
  const { number, title, body, state, author, labels, assignees = [] } = issue;
  const own = `/${name}/issues/${number}`;
  const content = html`<h1>${title}</h1>
<p>${renderBadge(state)} <span class="quiet">opened by ${author}</span></p>
<div class="buttons">${
    state === "open"
      ? renderButton("Close", own, { action: "close" }, "plain")
      : renderButton("Reopen", own, { action: "reopen" }, "")
  }</div>
<p class="said">${body ?? "No description."}</p>
${renderLabels(own, labels, author)}
<h2>Assignees</h2>
<p class="quiet">${assignees.length === 0 ? "None yet." : assignees.join(", ")}</p>
<form method="post" action="${own}" class="buttons"><input type="hidden" name="action" value="assign">
${renderAccounts("Assignee", "login")}${renderAccounts()}<button>Assign</button></form>
${renderComments(own, comments)}`;
  return renderPage({ title: `${title} (${number})`, trail: [[name, `/${name}`]], content });
}

/** Renders the labels of an issue or a pull request, and the form for another one. */
export function renderLabels(own: string, labels: readonly string[], author: string): Markup {
  const set = labels.map(
    (label) => html`<li><span class="grows">${label}</span>
${renderButton("Remove", own, { action: "unlabel", label, user: author }, "plain")}</li>`,
  );
  return html`<h2>Labels</h2>
${set.length === 0 ? html`<p class="quiet">None yet.</p>` : html`<ul class="rows">${set}</ul>`}
<form method="post" action="${own}" class="buttons"><input type="hidden" name="action" value="label">
<label>Label <input name="label" list="labels" required></label>
<datalist id="labels"><option value="switchyard"></option><option value="switchyard:go"></option></datalist>
${renderAccounts()}<button>Set the label</button></form>`;
}

/** Renders the comments of an issue or a pull request, and the form for a new one. */
export function renderComments(own: string, comments: readonly Comment[]): Markup {
  const rows = comments.map(
    ({ author, body, line, reactions }) => html`<li><span class="grows">${author}
<span class="quiet">${line === undefined ? "" : ` on ${line.path}:${line.line}`}${reactions.map(({ content }) => ` ${content}`).join("")}</span>
<span class="said">${body}</span></span></li>`,
  );
  return html`<h2>Comments</h2>
${rows.length === 0 ? html`<p class="quiet">None yet.</p>` : html`<ul class="rows">${rows}</ul>`}
<form method="post" action="${own}" class="buttons"><input type="hidden" name="action" value="comment">
<label>Comment <textarea name="body" required></textarea></label>${renderAccounts()}<button>Comment</button></form>`;
}

/** Renders the issues of a repository, and the form for a new one. */
export function renderIssues(name: string, issues: readonly Issue[]): Markup {
  const rows = issues.toReversed().map(
    ({ number, title, labels, state }) => html`<li><span class="grows"><a href="/${name}/issues/${number}">${title}</a>
<span class="quiet">${number}${labels.length > 0 && html`: ${labels.join(", ")}`}</span></span>${renderBadge(state)}</li>`,
  );
  return html`${rows.length === 0 ? html`<p class="quiet">None yet.</p>` : html`<ul class="rows">${rows}</ul>`}
<form method="post" action="/${name}/issues" class="buttons"><label>Title <input name="title" required></label>
<label>Text <textarea name="body"></textarea></label>${renderAccounts()}<button class="plain">Open an issue</button></form>`;
}

/** Renders the choice of an account. */
export function renderAccounts(label = "As", name = "user"): Markup {
  const logins = [...people.map(({ login }) => login), ...otherLogins];
  const options = logins.map((login) => html`<option>${login}</option>`);
  return html`<label>${label} <select name="${name}">${options}</select></label>`;
}
