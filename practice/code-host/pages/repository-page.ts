// The pages of a repository: its branches, pull requests and commits, and the patch of a commit.

import { html, type Markup } from "../../markup.ts";
import type { CheckRun, CommitStatus } from "../checks.ts";
import type { History, HistoryCommit } from "../history.ts";
import type { Issue } from "../issues.ts";
import type { PullRequest } from "../pull-request.ts";
import { renderAccounts, renderIssues } from "./issue-page.ts";
import { commitLink, renderBadge, renderButton, renderPage } from "./page-frame.ts";

export interface RepositorySeen {
  name: string;
  heads: Map<string, string>;
  pullRequests: readonly PullRequest[];
  issues: readonly Issue[];
  commits: HistoryCommit[];
  isSilent: boolean;
}

/** Renders the list of all repositories. */
export function renderRepositoriesPage(names: string[]): string {
  const rows = names.map((name) => html`<li><a href="/${name}">${name}</a></li>`);
  return renderPage({ title: "Repositories", content: html`<h1>Repositories</h1><ul class="rows">${rows}</ul>` });
}

/** Renders the choice of the repositories in which the app is installed. */
export function renderInstallPage(repositories: { name: string; isInstalled: boolean }[]): string {
  const rows = repositories.map(({ name, isInstalled }) => {
    const label = `${isInstalled ? "Remove it from" : "Install it in"} ${name}`;
    const button = renderButton(label, `/${name}/installation`, { installed: isInstalled ? "no" : "yes" }, "plain");
    return html`<li><span class="grows">${name}</span>${isInstalled && renderBadge("installed")}${button}</li>`;
  });
  return renderPage({ title: "Install the app", content: html`<h1>Install the app</h1><ul class="rows">${rows}</ul>` });
}

/** Renders a repository. */
export function renderRepositoryPage({ name, heads, pullRequests, issues, commits, isSilent }: RepositorySeen): string {
  const branches = [...heads].map(
    ([branch, sha]) => html`<li><span class="grows">${branch}</span>${commitLink(name, sha)}
${renderButton("Commit as somebody else", `/${name}/commits`, { branch }, "plain")}</li>`,
  );
  const content = html`<h1>${name}</h1>
${isSilent && html`<p class="notice">Pushes are accepted and get no response.</p>`}
<h2>Pull requests</h2>
${pullRequests.length === 0 ? html`<p class="quiet">None yet.</p>` : pullRequestRows(name, pullRequests)}
${renderProposal(name, [...heads.keys()])}
<h2>Issues</h2>
${renderIssues(name, issues)}
<h2>Branches</h2>
<ul class="rows">${branches}</ul>
<h2>Newest commits of main</h2>
${commitRows(name, commits)}
<h2>Faults to practise with</h2>
<div class="buttons">${
    isSilent
      ? renderButton("Answer pushes again", `/${name}/silence`, { silent: "no" }, "plain")
      : renderButton("Stop answering pushes", `/${name}/silence`, { silent: "yes" }, "plain")
  }</div>`;
  return renderPage({ title: name, content });
}

/** Renders the form for a new pull request. */
function renderProposal(name: string, branches: readonly string[]): Markup {
  const options = branches.map((branch) => html`<option>${branch}</option>`);
  return html`<form method="post" action="/${name}/pull" class="buttons"><label>Title <input name="title" required></label>
<label>Text <textarea name="body"></textarea></label>
<label>Branch <select name="head">${options}</select></label><label>Into <select name="base">${options}</select></label>
<label><input type="checkbox" name="draft" value="yes"> Draft</label>
${renderAccounts()}<button class="plain">Open a pull request</button></form>`;
}

function pullRequestRows(name: string, pullRequests: readonly PullRequest[]): Markup {
  const rows = pullRequests.toReversed().map(
    (one) => html`<li><span class="grows"><a href="/${name}/pull/${one.number}">${one.title}</a>
<span class="quiet">${one.number}: ${one.head} into ${one.base}</span></span>${renderBadge(getState(one))}</li>`,
  );
  return html`<ul class="rows">${rows}</ul>`;
}

/** The state of a pull request in one word. */
export function getState({ isMerged, state, isDraft }: PullRequest): string {
  if (isMerged) return "merged";
  return state === "open" && isDraft ? "draft" : state;
}

/** Renders a list of commits. */
export function commitRows(name: string, commits: HistoryCommit[]): Markup {
  if (commits.length === 0) return html`<p class="quiet">None.</p>`;
  const rows = commits.map(
    ({ sha, subject, author, at }) => html`<li>${commitLink(name, sha)}<span class="grows">${subject}</span>
<span class="quiet">${author}, <time datetime="${at}">${at.slice(0, 16).replace("T", " ")}</time></span></li>`,
  );
  return html`<ul class="rows">${rows}</ul>`;
}

/** Renders the checks of a commit. */
export function checkRows(statuses: CommitStatus[], runs: CheckRun[]): Markup {
  const all = [
    ...statuses.map(({ context, state }) => ({ check: context, state: state as string })),
    ...runs.map(({ name, conclusion }) => ({ check: name, state: conclusion ?? "pending" })),
  ];
  if (all.length === 0) return html`<p class="quiet">No checks yet.</p>`;
  const rows = all.map(({ check, state }) => html`<li><span class="grows">${check}</span>${renderBadge(state)}</li>`);
  return html`<ul class="rows">${rows}</ul>`;
}

type Commit = NonNullable<Awaited<ReturnType<History["commit"]>>>;

/** Renders a commit with its patch. */
export function commitPage(name: string, commit: Commit, checks: Markup): string {
  const lines = commit.patch.split("\n").map((line) => {
    const kind = /^[+-](?![+-]{2} )/.test(line) ? (line.startsWith("+") ? "added" : "removed") : "";
    return kind === "" ? html`${line}\n` : html`<span class="${kind}">${line}</span>\n`;
  });
  const content = html`<h1>${commit.subject}</h1>
<p class="quiet">${commit.author}, <time datetime="${commit.at}">${commit.at}</time>, <code>${commit.sha}</code></p>
${commit.body !== "" && html`<p class="said">${commit.body}</p>`}
<h2>Checks</h2>
${checks}
<h2>Changes</h2>
<pre tabindex="0" aria-label="Changes">${lines}</pre>`;
  return renderPage({ title: commit.subject, trail: [[name, `/${name}`]], content });
}
