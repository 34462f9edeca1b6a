// The actions behind the buttons of the code host's pages.
import type { Api } from "../api.ts";
import type { History } from "../history.ts";
import { appPath, findAccount, type Issue } from "../issues.ts";
import { handleRest } from "../rest.ts";
import type { Silence } from "../silent-pushes.ts";

/** The result of a form: the page to go to, or the reason why it failed. */
export interface Done {
  to: string;
  refusal: string | null;
}

/** Runs the action of a form; null for an unknown one. */
export type Act = (
  of: { name: string; kind: string | undefined; id: string },
  form: URLSearchParams,
) => Promise<Done | null>;

export interface ActionParts {
  codeHost: Pick<
    Api,
    | (
        | "pullRequests"
        | "issues"
        | "comments"
        | "getId"
        | "announcements"
        | "checks"
        | "merge"
        | "hasRepository"
        | "open"
      )
    | ("listRepositories" | "isInstalled" | "install")
  >;
  url(): string;
  history(repository: string): History;
  silence: Silence;
}

/** The page that installs the app. */
export const installPath = `${appPath}/installations/new`;

/** The login of the user that visitors of the pages act as. */
const pagesPerson = "olive-owner";
/** The login of the user whose reviews their buttons submit. */
const pagesReviewer = "grace-hopper";

/** Creates the actions of a code host. They expect a repository that exists. */
export function createActions({ codeHost, url, history, silence }: ActionParts): Act {
  const { pullRequests, announcements, checks, open } = codeHost;

  /** Writes the comment of a form. False without a text, and for an unknown account. */
  function writeComment(name: string, number: number, form: URLSearchParams): boolean {
    const [author, body] = [form.get("user") ?? pagesPerson, form.get("body")?.trim() ?? ""];
    if (body === "" || findAccount(author) === null) return false;
    codeHost.comments.write(name, { number, author, body });
    return true;
  }

  async function actOnPullRequest(name: string, number: number, form: URLSearchParams): Promise<Done | null> {
    const to = `/${name}/pull/${number}`;
    const action = form.get("action");
    const by = form.get("user") || pagesPerson;
    if (findAccount(by) === null) return null;
    const rest = { pullRequests, merge: codeHost.merge, open, getId: codeHost.getId };
    const call = { repository: name, number, query: new URLSearchParams(), by };
    if (number === 0) {
      const [title, head, base] = ["title", "head", "base"].map((field) => form.get(field)?.trim() ?? "");
      const body = { title, head, base, body: form.get("body")?.trim() || null, draft: form.get("draft") === "yes" };
      if (title === "" || head === base || !(await open(name).heads()).has(head ?? "")) return null;
      const opened = await handleRest(url(), rest, { ...call, number: null, method: "POST", part: null, body });
      if (opened.status !== 201) return null;
      return { to: `/${name}/pull/${pullRequests.of(name).at(-1)?.number}`, refusal: null };
    }
    if (!pullRequests.find(name, number)) return null;
    if (action === "comment") return writeComment(name, number, form) ? { to, refusal: null } : null;
    switch (action) {
      case "merge": {
        const { status } = await handleRest(url(), rest, { ...call, method: "PUT", part: "merge", body: {} });
        return status === 200
          ? { to, refusal: null }
          : { to, refusal: "It cannot be merged as it is: it is a draft, or conflicts." };
      }
      case "close":
      case "reopen": {
        const body = { state: action === "close" ? "closed" : "open" };
        await handleRest(url(), rest, { ...call, method: "PATCH", part: null, body });
        return { to, refusal: null };
      }
      case "approve":
      case "reject": {
        const body = { user: pagesReviewer, event: action === "approve" ? "APPROVE" : "REQUEST_CHANGES" };
        await handleRest(url(), rest, { ...call, method: "POST", part: "reviews", body });
        return { to, refusal: null };
      }
      case "ready":
      case "draft":
        pullRequests.change(name, number, { isDraft: action === "draft" }, by);
        return { to, refusal: null };
      case "label":
      case "unlabel":
        pullRequests.setLabel(name, number, form.get("label")?.trim() ?? "", action === "label", by);
        return { to, refusal: null };
      default:
        return null;
    }
  }

  function actOnIssue(name: string, number: number, form: URLSearchParams): Done | null {
    const read = (field: string) => form.get(field)?.trim() ?? "";
    const by = read("user") || pagesPerson;
    if (number === 0) {
      if (read("title") === "") return null;
      const opened = codeHost.issues.open(name, { title: read("title"), body: read("body") || null }, by);
      return { to: `/${name}/issues/${opened.number}`, refusal: null };
    }
    const { issues } = codeHost;
    if (read("action") === "comment" && issues.find(name, number))
      return writeComment(name, number, form) ? { to: `/${name}/issues/${number}`, refusal: null } : null;
    const actions: Record<string, () => Issue | null> = {
      close: () => issues.change(name, number, { state: "closed" }, by),
      reopen: () => issues.change(name, number, { state: "open" }, by),
      label: () => issues.setLabel(name, number, read("label"), true, by),
      assign: () => (findAccount(read("login")) ? issues.assign(name, number, read("login"), by) : null),
      unlabel: () => issues.setLabel(name, number, read("label"), false, by),
    };
    return actions[read("action")]?.() ? { to: `/${name}/issues/${number}`, refusal: null } : null;
  }

  return async function act({ name, kind, id }, form) {
    // Only pages of the same repository are valid targets.
    const back = form.get("back") ?? "";
    const to = back.startsWith(`/${name}/`) && /^[\w./-]+$/.test(back) ? back : `/${name}`;
    switch (kind) {
      case "pull":
        return await actOnPullRequest(name, Number(id), form);
      case "issues":
        return actOnIssue(name, Number(id), form);
      case "checks": {
        const [sha, conclusion] = [form.get("sha") ?? "", form.get("conclusion") || null];
        if ((await open(name).commitAt(sha)) === null) return null;
        const run = {
          sha,
          name: "practice check",
          status: conclusion ? "completed" : "in_progress",
          conclusion,
        } as const;
        checks.setRun(name, run);
        await announcements.checkRun(name, run);
        return { to, refusal: null };
      }
      case "commits": {
        const before = await open(name).heads();
        if (!(await history(name).commitSomething(form.get("branch") ?? ""))) return null;
        await announcements.pushes(name, before, pagesReviewer);
        return { to, refusal: null };
      }
      case "silence":
        silence.set(name, form.get("silent") === "yes");
        return { to, refusal: null };
      case "installation":
        codeHost.install(name, form.get("installed") === "yes", []);
        return { to: installPath, refusal: null };
      default:
        return null;
    }
  };
}
