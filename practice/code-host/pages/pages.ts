// The code host's pages: the history of each repository, and buttons for what a user would do
// there. Their actions send the same webhooks as the API.
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { isRepositoryName } from "../repository-name.ts";
import { renderIssuePage } from "./issue-page.ts";
import { type ActionParts, createActions, installPath } from "./page-actions.ts";
import { getPageHeaders, renderMessagePage, renderStrangerPage } from "./page-frame.ts";
import { getVisitor, isFromOwnPage } from "./page-key.ts";
import { renderPullRequestPage } from "./pull-request-page.ts";
import {
  checkRows,
  commitPage,
  renderInstallPage,
  renderRepositoriesPage,
  renderRepositoryPage,
} from "./repository-page.ts";

export interface Pages {
  /** Handles a request for a page or a form. False for any other request. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

export interface PagesParts extends ActionParts {
  key: string;
}

const commitsShown = 30;
const pagePath = /^\/([^/]+\/[^/]+)(?:\/(pull|issues|commit|checks|commits|silence|installation)(?:\/([0-9a-f]+))?)?$/;

interface Named {
  name: string;
  kind: string | undefined;
  id: string;
}

interface Answer {
  status: number;
  body?: string;
  location?: string;
  cookie?: string;
}

/** Creates the pages. */
export function createPages({ codeHost, key, url, history, silence }: PagesParts): Pages {
  const { pullRequests, issues, comments, checks, open } = codeHost;
  const act = createActions({ codeHost, url, history, silence });

  /** The page that installs the app in repositories. */
  async function seeInstallation(): Promise<string> {
    const names = await codeHost.listRepositories();
    return renderInstallPage(names.map((name) => ({ name, isInstalled: codeHost.isInstalled(name) })));
  }

  async function seeRepository(name: string): Promise<string> {
    const [heads, commits] = await Promise.all([
      open(name).heads(),
      history(name).commits({ branch: "main" }, commitsShown),
    ]);
    return renderRepositoryPage({
      name,
      heads,
      commits,
      pullRequests: pullRequests.of(name),
      issues: issues.of(name),
      isSilent: silence.isSilent(name),
    });
  }

  const listChecks = (name: string, sha: string) =>
    checkRows(checks.listStatuses(name, sha), checks.listRuns(name, sha));

  async function seePullRequest(name: string, number: number, refusal: string | null): Promise<string | null> {
    const pullRequest = pullRequests.find(name, number);
    if (!pullRequest) return null;
    const sha = (await open(name).heads()).get(pullRequest.head);
    const range = { branch: pullRequest.head, ...(pullRequest.isMerged ? {} : { without: pullRequest.base }) };
    const commits = await history(name).commits(range, commitsShown);
    return renderPullRequestPage({
      name,
      pullRequest,
      sha,
      commits,
      checks: listChecks(name, sha ?? ""),
      comments: comments.of(name, number),
      refusal,
    });
  }

  async function see(name: string, kind: string | undefined, id: string): Promise<string | null> {
    if (kind === undefined) return await seeRepository(name);
    if (kind === "pull") return await seePullRequest(name, Number(id), null);
    const issue = kind === "issues" ? issues.find(name, Number(id)) : null;
    if (issue) return renderIssuePage(name, issue, comments.of(name, issue.number));
    const commit = kind === "commit" ? await history(name).commit(id) : null;
    return commit && commitPage(name, commit, listChecks(name, commit.sha));
  }

  async function press(request: IncomingMessage, { name, kind, id }: Named): Promise<Answer> {
    if (!isFromOwnPage(request)) {
      return { status: 403, body: renderMessagePage("Not from here", "Only forms of these pages are accepted.") };
    }
    const form = new URLSearchParams(await text(request));
    const done = (await codeHost.hasRepository(name)) ? await act({ name, kind, id }, form) : null;
    if (!done) return missing;
    if (done.refusal === null) return { status: 303, location: done.to };
    const seen = await seePullRequest(name, Number(id), done.refusal);
    return seen === null ? missing : { status: 409, body: seen };
  }

  async function answerPage(request: IncomingMessage, url: URL, named: Named | null) {
    const visitor = getVisitor(request, url, key);
    if (visitor.kind === "enters") return { status: 303, location: url.pathname, cookie: visitor.cookie };
    if (visitor.kind === "stranger") return { status: 401, body: renderStrangerPage() };
    if (url.pathname === installPath) return { status: 200, body: await seeInstallation() };
    if (!named) return { status: 200, body: renderRepositoriesPage(await codeHost.listRepositories()) };
    if (request.method === "POST") return await press(request, named);
    const { name, kind, id } = named;
    const seen = (await codeHost.hasRepository(name)) ? await see(name, kind, id) : null;
    return seen === null ? missing : { status: 200, body: seen };
  }

  return {
    async answer(request, response) {
      const { method = "GET" } = request;
      // A request with a credential comes from a program, and is not for a page.
      if (request.headers.authorization || (method !== "GET" && method !== "POST")) return false;
      const url = new URL(request.url ?? "/", "http://code-host");
      const [, name, kind, id = ""] = pagePath.exec(decoded(url.pathname)) ?? [];
      const named = name !== undefined && isRepositoryName(name) ? { name, kind, id } : null;
      if (!named && (!["/", installPath].includes(url.pathname) || method !== "GET")) return false;
      const { status, body = "", location, cookie }: Answer = await answerPage(request, url, named);
      const headers = {
        ...getPageHeaders(),
        ...(location ? { location } : {}),
        ...(cookie ? { "set-cookie": cookie } : {}),
      };
      response.writeHead(status, headers).end(body);
      return true;
    },
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}

const missing: Answer = {
  status: 404,
  body: renderMessagePage("Nothing here", "There is no such repository, pull request or commit."),
};
