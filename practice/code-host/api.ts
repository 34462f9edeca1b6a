// The code host's JSON API.
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type Access, isOpen } from "./access.ts";
import type { BareRepository } from "./bare-repository.ts";
import type { Checks } from "./checks.ts";
import { type Comments, handleComments, parseCommentsPath } from "./comments.ts";
import { handleCommits, parseCommitsPath } from "./commits.ts";
import { handleGraphql } from "./graphql.ts";
import { appLogin, findAccount, handleIssues, type Issues, parseIssuesPath } from "./issues.ts";
import { handlePersonCall } from "./oauth.ts";
import { usualLogin } from "./people.ts";
import { toWireReviewComments } from "./pull-request.ts";
import type { PullRequests } from "./pull-requests.ts";
import { handleReachable, type ReachableParts } from "./reachable.ts";
import { handleRepositoryCall, parseRepositoryPath, type RepositoryParts } from "./repository-calls.ts";
import { type ApiAnswer, handleRest, type Merge, notFound, parseRestPath, unprocessable } from "./rest.ts";
import { handleCollaborators, parseCollaboratorsPath } from "./reviewers.ts";
import type { Silence } from "./silent-pushes.ts";
import type { Announcements } from "./webhook-events.ts";
import { handleDeliveries, type Webhooks } from "./webhooks.ts";

export interface Api extends RepositoryParts, ReachableParts {
  open(name: string): BareRepository;
  pullRequests: PullRequests;
  issues: Issues;
  comments: Comments;
  announcements: Announcements;
  checks: Checks;
  merge: Merge;
  hasRepository(name: string): Promise<boolean>;
  /** Revokes all installation tokens, and ends the access tokens of users before their time. */
  revokeTokens(): void;
  /** Revokes all tokens of a user, who has to sign in again. */
  revokeGrant(login: string): void;
  silence: Silence;
  webhooks: Webhooks;
}

/** Handles a request of the JSON API. */
export async function handleApi(
  request: IncomingMessage,
  response: ServerResponse,
  api: Api,
  access: Access,
): Promise<void> {
  const { status, body } = await getAnswer(request, api, access);
  response
    .writeHead(status, { "content-type": "application/json; charset=utf-8" })
    .end(body === null ? undefined : JSON.stringify(body));
}

async function getAnswer(request: IncomingMessage, api: Api, access: Access): Promise<ApiAnswer> {
  const { pullRequests } = api;
  const hasRepository = async (name: string) => isOpen(access, name) && (await api.hasRepository(name));
  const { method = "GET" } = request;
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://code-host");
  const body = await readBody(request);
  if (body === null) return { status: 400, body: { message: "Problems parsing JSON" } };
  if (access.kind === "person") {
    const { person } = access;
    const reached = await handleReachable(api, { method, path: pathname, query, person });
    return reached ?? handlePersonCall(method, pathname, person) ?? notFound;
  }
  if (access.kind === "app")
    return (
      handleDeliveries(api.webhooks, method, pathname) ?? (await access.app.answer(method, pathname, body)) ?? notFound
    );
  if (pathname === "/practice/tokens" && method === "DELETE" && access.kind === "everything") {
    api.revokeTokens();
    return { status: 200, body: {} };
  }
  const [, granter = ""] = /^\/practice\/grants\/(.+)$/.exec(pathname) ?? [];
  if (granter !== "" && method === "DELETE" && access.kind === "everything") {
    api.revokeGrant(granter);
    return { status: 200, body: {} };
  }
  const [, quiet = ""] = /^\/practice\/silence\/(.+)$/.exec(pathname) ?? [];
  if (quiet !== "" && access.kind === "everything") {
    api.silence.set(quiet, method === "PUT");
    return { status: 200, body: {} };
  }
  // An installation token is the app's.
  const own = access.kind === "repositories" ? appLogin : null;
  const by = own ?? usualLogin;
  if (pathname === "/graphql" && method === "POST")
    return handleGraphql(api, body, { isOpen: (name) => isOpen(access, name), by });
  const itself = parseRepositoryPath(pathname);
  if (itself !== null) {
    const call = { method, path: pathname, body, query, mayChange: access.kind === "everything" };
    return (await hasRepository(itself)) ? await handleRepositoryCall(itself, api, call) : notFound;
  }
  const shared = parseCollaboratorsPath(pathname);
  if (shared !== null) return (await hasRepository(shared)) ? handleCollaborators(method, query) : notFound;
  const commented = parseCommentsPath(pathname);
  if (commented !== null) {
    if (!(await hasRepository(commented))) return notFound;
    const has = (name: string, number: number) =>
      api.issues.find(name, number) !== null || pullRequests.find(name, number) !== null;
    const call = { method, path: pathname, query, body, by: own };
    const listOfReviews = (name: string, number: number) => toWireReviewComments(pullRequests.find(name, number) ?? {});
    return handleComments(`http://${request.headers.host}`, api.comments, { has, listOfReviews }, call);
  }
  const discussed = parseIssuesPath(pathname);
  if (discussed !== null) {
    if (!(await hasRepository(discussed))) return notFound;
    const call = { method, path: pathname, query, body };
    return handleIssues(`http://${request.headers.host}`, api.issues, pullRequests, call);
  }
  const name = parseCommitsPath(pathname);
  if (name !== null) {
    if (!(await hasRepository(name))) return notFound;
    const { announcements, checks } = api;
    const codeHost = { repository: api.open(name), announcements, checks };
    return await handleCommits(name, codeHost, { method, path: pathname, query, body });
  }
  const asked = parseRestPath(pathname);
  if (!asked || !(await hasRepository(asked.repository))) return notFound;
  const called = own ?? (body.user === undefined ? undefined : String(body.user));
  if (called !== undefined && findAccount(called) === null) return unprocessable("Unknown user.");
  return await handleRest(`http://${request.headers.host}`, api, { method, query, body, by: called, ...asked });
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  const sent = await text(request);
  try {
    const body: unknown = JSON.parse(sent || "{}");
    return typeof body === "object" && body !== null ? { ...body } : null;
  } catch {
    return null;
  }
}
