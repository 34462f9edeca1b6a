// The issues of the code host's repositories, and their REST endpoints. They are in memory, and in
// one file per repository. The token of a call is no user's, so the body names who calls in `user`.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findPerson, toWirePerson, usualLogin } from "./people.ts";
import type { PullRequests } from "./pull-requests.ts";
import { type ApiAnswer, getPage, notFound, unprocessable } from "./rest.ts";

export interface Issue {
  number: number;
  title: string;
  body: string | null;
  state: "open" | "closed";
  /** The login of its author. */
  author: string;
  labels: string[];
  /** Logins. Missing for those that were stored before there were assignees. */
  assignees?: string[];
}

/** What happened to an issue. */
export interface IssueEvent {
  action: "opened" | "edited" | "closed" | "reopened" | "labeled" | "unlabeled" | "assigned";
  issue: Issue;
  label?: string;
  /** The login of whom it was assigned to. */
  assignee?: string;
  /** The login of who did it. */
  by: string;
}

export interface Issues {
  /** Follows a renamed repository; null for a deleted one. */
  moved(repository: string, to: string | null): void;
  /** Oldest first. */
  of(repository: string): readonly Issue[];
  find(repository: string, number: number): Issue | null;
  open(repository: string, draft: Pick<Issue, "title" | "body">, by: string): Issue;
  /** Changes its text or its state. Null if there is none with this number. */
  change(repository: string, number: number, changes: Partial<Issue>, by: string): Issue | null;
  /** Sets or removes a label. Null if there is no such issue. */
  setLabel(repository: string, number: number, label: string, isWanted: boolean, by: string): Issue | null;
  /** Assigns it to an account as well. Null if there is no such issue. */
  assign(repository: string, number: number, assignee: string, by: string): Issue | null;
}

/** Opens the issues below a folder. The watcher is called for each event. */
export function createIssues(
  folder: string,
  watcher: (repository: string, event: IssueEvent) => void,
  /** The highest number of a pull request: both are numbered together. */
  getLastNumber: (repository: string) => number = () => 0,
): Issues {
  const known = new Map<string, Issue[]>();
  const getFile = (repository: string) => join(folder, `${repository}.json`);

  function load(repository: string): Issue[] {
    const file = getFile(repository);
    const loaded: Issue[] = known.get(repository) ?? (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : []);
    known.set(repository, loaded);
    return loaded;
  }

  function save(repository: string, issues: Issue[]): void {
    const file = getFile(repository);
    known.set(repository, issues);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify(issues, null, 2));
    renameSync(`${file}.new`, file);
  }

  const find = (repository: string, number: number) => load(repository).find((one) => one.number === number) ?? null;

  function put(repository: string, number: number, changes: Partial<Issue>, event: Omit<IssueEvent, "issue">) {
    const before = find(repository, number);
    if (!before) return null;
    const issue = { ...before, ...changes };
    save(
      repository,
      load(repository).map((one) => (one.number === number ? issue : one)),
    );
    watcher(repository, { ...event, issue });
    return issue;
  }

  return {
    moved(repository, to) {
      if (to !== null) save(to, load(repository));
      known.delete(repository);
      rmSync(getFile(repository), { force: true });
    },
    of: load,
    find,
    open(repository, draft, by) {
      const number = Math.max(getLastNumber(repository), ...load(repository).map((one) => one.number), 0) + 1;
      const issue: Issue = { ...draft, number, state: "open", author: by, labels: [] };
      save(repository, [...load(repository), issue]);
      watcher(repository, { action: "opened", issue, by });
      return issue;
    },
    change(repository, number, changes, by) {
      const ofState = { open: "reopened", closed: "closed" } as const;
      return put(repository, number, changes, { action: changes.state ? ofState[changes.state] : "edited", by });
    },
    setLabel(repository, number, label, isWanted, by) {
      const others = (find(repository, number)?.labels ?? []).filter((one) => one !== label);
      const action = isWanted ? "labeled" : "unlabeled";
      return put(repository, number, { labels: isWanted ? [...others, label] : others }, { action, label, by });
    },
    assign(repository, number, assignee, by) {
      const others = (find(repository, number)?.assignees ?? []).filter((one) => one !== assignee);
      return put(repository, number, { assignees: [...others, assignee] }, { action: "assigned", assignee, by });
    },
  };
}

/** The slug of the app that the service is. */
export const appSlug = "switchyard";
/** The path of the page of the service's app. */
export const appPath = `/apps/${appSlug}`;
/** The login of the app's own account. */
export const appLogin = `${appSlug}[bot]`;

/** Accounts that are no users of the service: apps', and a person's without access. */
const others = [
  { id: 2_000, login: appLogin, type: "Bot" },
  { id: 2_001, login: "practice[bot]", type: "Bot" },
  { id: 2_002, login: "sam-stranger", type: "User" },
];

/** The logins that may set a label on the pages, besides the users. */
export const otherLogins = others.map(({ login }) => login);

/** An account in the form of webhooks; null for an unknown login. */
export function findAccount(login: string) {
  const person = findPerson(login);
  return person ? toWirePerson(person) : (others.find((one) => one.login === login) ?? null);
}

/** How an account is related to all repositories, in GitHub's words. */
export function getAssociation(login: string): string {
  if (login === "olive-owner") return "OWNER";
  return findPerson(login) ? "COLLABORATOR" : "NONE";
}

/** Labels in GitHub's format. */
export const toWireLabels = (names: readonly string[]) => names.map((name, place) => ({ id: place + 1, name }));

/** An issue in GitHub's format. */
export function toWireIssue(url: string, repository: string, { author, labels, assignees = [], ...issue }: Issue) {
  return {
    ...issue,
    html_url: `${url}/${repository}/issues/${issue.number}`,
    user: findAccount(author),
    author_association: getAssociation(author),
    labels: toWireLabels(labels),
    assignees: assignees.map(findAccount),
  };
}

const issuesPath = /^\/repos\/([^/]+\/[^/]+)\/issues(?:\/(\d+)(\/labels|\/assignees)?(?:\/([^/]+))?)?$/;

/** Returns the repository of a path to issues; null for any other path. */
export function parseIssuesPath(path: string): string | null {
  return issuesPath.exec(path)?.[1] ?? null;
}

/** Handles a call on the issues of a repository that exists. */
export function handleIssues(
  url: string,
  issues: Issues,
  pullRequests: PullRequests,
  {
    method,
    path,
    query,
    body,
  }: { method: string; path: string; query: URLSearchParams; body: Record<string, unknown> },
): ApiAnswer {
  const [, repository = "", of, part, label = ""] = issuesPath.exec(path) ?? [];
  const number = Number(of);
  const by = String(body.user ?? usualLogin);
  if (findAccount(by) === null) return unprocessable("Unknown user.");
  const answer = (issue: Issue | null, status = 200): ApiAnswer =>
    issue === null ? notFound : { status, body: toWireIssue(url, repository, issue) };
  switch (`${method} ${of === undefined ? "all" : (part?.slice(1) ?? "one")}`) {
    case "GET all": {
      const listed = getPage(issues.of(repository), query);
      return { status: 200, body: listed.map((one) => toWireIssue(url, repository, one)) };
    }
    case "POST all": {
      const { title, body: text = null } = body;
      if (typeof title !== "string" || (text !== null && typeof text !== "string")) return unprocessable("No title.");
      return answer(issues.open(repository, { title, body: text }, by), 201);
    }
    case "GET one":
      return answer(issues.find(repository, number));
    case "PATCH one": {
      const { title, body: text, state } = body;
      const changes: Partial<Issue> = {
        ...(typeof title === "string" ? { title } : {}),
        ...(typeof text === "string" ? { body: text } : {}),
        ...(state === "open" || state === "closed" ? { state } : {}),
      };
      return answer(issues.change(repository, number, changes, by));
    }
    case "POST labels":
    case "DELETE labels": {
      // Pull requests have the labels of issues, as they have their numbers.
      const labeled = issues.find(repository, number) ? issues : pullRequests;
      const isWanted = method === "POST";
      const given = Array.isArray(body.labels) ? body.labels.map(String) : [];
      for (const name of isWanted ? given : [decodeURIComponent(label)])
        labeled.setLabel(repository, number, name, isWanted, by);
      const found = labeled.find(repository, number);
      return found ? { status: 200, body: toWireLabels(found.labels ?? []) } : notFound;
    }
    case "POST assignees": {
      const logins = Array.isArray(body.assignees) ? body.assignees.map(String) : [];
      if (logins.some((login) => findAccount(login) === null)) return unprocessable("Unknown assignee.");
      const assigned = logins.map((login) => issues.assign(repository, number, login, by));
      return answer(assigned.at(-1) ?? issues.find(repository, number), 201);
    }
    default:
      return notFound;
  }
}
