// The code host's JSON API.
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type Access, isOpen } from "./access.ts";
import type { Checks } from "./checks.ts";
import { answerCommits, repositoryOfCommits } from "./commits.ts";
import { answerGraphql } from "./graphql.ts";
import { answerPerson } from "./oauth.ts";
import type { PullRequests } from "./pull-requests.ts";
import { answerRepository, type RepositoryForge, repositoryOfItself } from "./repository-calls.ts";
import { type ApiAnswer, answerRest, type Merge, notFound, restPath } from "./rest.ts";
import { answerCollaborators, repositoryOfCollaborators } from "./reviewers.ts";
import type { Silence } from "./silent-pushes.ts";
import type { Announcements } from "./webhook-events.ts";
import { answerDeliveries, type Webhooks } from "./webhooks.ts";

export interface Api extends RepositoryForge {
  pullRequests: PullRequests;
  announcements: Announcements;
  checks: Checks;
  merge: Merge;
  hasRepository(name: string): Promise<boolean>;
  /** Revokes all installation tokens. */
  revokeTokens(): void;
  silence: Silence;
  webhooks: Webhooks;
}

/** Handles a request of the JSON API. */
export async function answerApi(
  request: IncomingMessage,
  response: ServerResponse,
  api: Api,
  access: Access,
): Promise<void> {
  const { status, body } = await answerOf(request, api, access);
  response
    .writeHead(status, { "content-type": "application/json; charset=utf-8" })
    .end(body === null ? undefined : JSON.stringify(body));
}

async function answerOf(request: IncomingMessage, api: Api, access: Access): Promise<ApiAnswer> {
  const { pullRequests } = api;
  const hasRepository = async (name: string) => isOpen(access, name) && (await api.hasRepository(name));
  const { method = "GET" } = request;
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://forge");
  const body = await bodyOf(request);
  if (body === null) return { status: 400, body: { message: "Problems parsing JSON" } };
  if (access.kind === "person") return answerPerson(method, pathname, access.person) ?? notFound;
  if (access.kind === "app")
    return (
      answerDeliveries(api.webhooks, method, pathname) ?? (await access.app.answer(method, pathname, body)) ?? notFound
    );
  if (pathname === "/practice/tokens" && method === "DELETE" && access.kind === "everything") {
    api.revokeTokens();
    return { status: 200, body: {} };
  }
  const [, quiet = ""] = /^\/practice\/silence\/(.+)$/.exec(pathname) ?? [];
  if (quiet !== "" && access.kind === "everything") {
    api.silence.set(quiet, method === "PUT");
    return { status: 200, body: {} };
  }
  if (pathname === "/graphql" && method === "POST")
    return answerGraphql(pullRequests, body, (name) => isOpen(access, name));
  const itself = repositoryOfItself(pathname);
  if (itself !== null) {
    const call = { method, path: pathname, body, mayChange: access.kind === "everything" };
    return (await hasRepository(itself)) ? await answerRepository(itself, api, call) : notFound;
  }
  const shared = repositoryOfCollaborators(pathname);
  if (shared !== null) return (await hasRepository(shared)) ? answerCollaborators(method, query) : notFound;
  const name = repositoryOfCommits(pathname);
  if (name !== null) {
    if (!(await hasRepository(name))) return notFound;
    const { announcements, checks } = api;
    const forge = { repository: api.open(name), announcements, checks };
    return await answerCommits(name, forge, { method, path: pathname, query, body });
  }
  const asked = restPath(pathname);
  if (!asked || !(await hasRepository(asked.repository))) return notFound;
  return await answerRest(`http://${request.headers.host}`, api, { method, query, body, ...asked });
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  const sent = await text(request);
  try {
    const body: unknown = JSON.parse(sent || "{}");
    return typeof body === "object" && body !== null ? { ...body } : null;
  } catch {
    return null;
  }
}
