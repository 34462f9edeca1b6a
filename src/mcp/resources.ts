// Resources: what a client can attach to a conversation without a call of its agent. Each is read
// by the same calls as the tools.
import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from "@modelcontextprotocol/server";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import type { Api } from "./api.ts";
import {
  formatMessages,
  formatSession,
  type MessageData,
  type SessionData,
  toQuoted,
  toShortText,
} from "./rules/text.ts";
import { findSession, formatRefusal, toParams } from "./tool.ts";
import { readArtifactText, readDiffText } from "./tools/reading.ts";

const root = "switchyard://sessions/{session}";
const listedMax = 20;
const blocksMax = 100;

/** Adds the resources. `open` creates the calls of the client. */
export function addResources(server: McpServer, open: () => Api): void {
  const complete = {
    session: (value: string) => listSessionIds(open(), value),
    slug: (value: string, context?: { arguments?: Record<string, string> }) =>
      completeSlug(open(), context?.arguments?.session ?? "", value),
  };

  async function listNewest() {
    const sessions = orThrow(await searchSessions(open(), {}));
    return {
      resources: sessions.map(({ id, title, status }) => ({
        uri: root.replace("{session}", id),
        name: id,
        title,
        description: `A session that is ${status}.`,
        mimeType: "text/markdown",
      })),
    };
  }

  server.registerResource(
    "session",
    new ResourceTemplate(root, { list: listNewest, complete }),
    { title: "Session", description: "The state of a session and its conversation.", mimeType: "text/markdown" },
    async ({ href }, { session }) => toContents(href, "text/markdown", await readSession(open(), toText(session))),
  );
  server.registerResource(
    "diff",
    new ResourceTemplate(`${root}/diff`, { list: undefined, complete }),
    { title: "Changes of a session", description: "What a session has changed, as a patch.", mimeType: "text/plain" },
    async ({ href }, { session }) =>
      toContents(href, "text/plain", await readDiffText(open(), { session: toText(session) })),
  );
  server.registerResource(
    "artifact",
    new ResourceTemplate(`${root}/artifacts/{slug}`, { list: undefined, complete }),
    { title: "Artifact", description: "An artifact of a session, such as a document.", mimeType: "text/markdown" },
    async ({ href }, { session, slug }) =>
      toContents(
        href,
        "text/markdown",
        await readArtifactText(open(), { session: toText(session), slug: toText(slug) }),
      ),
  );
}

/** The value of a variable, as it was before it became part of an address. */
function toText(value: string | string[] | undefined): string {
  return decodeURIComponent(String(value ?? ""));
}

function toContents(uri: string, mimeType: string, text: string | Refusal) {
  return { contents: [{ uri, mimeType, text: orThrow(text) }] };
}

/** A resource has no place for a refusal, so it is an error of the protocol. */
function orThrow<Found>(found: Found | Refusal): Found {
  if (!isRefusal(found)) return found;
  const code = found.code === "NOT_FOUND" ? ProtocolErrorCode.ResourceNotFound : ProtocolErrorCode.InvalidParams;
  throw new ProtocolError(code, formatRefusal(found));
}

async function readSession(api: Api, named: string): Promise<string | Refusal> {
  const session = await findSession(api, named);
  if (isRefusal(session)) return session;
  const page = await api.call<{ messages: MessageData[] }>("readMessages", {
    params: toParams(session),
    query: { limit: String(blocksMax), outputs: "1000" },
  });
  if (isRefusal(page)) return page;
  const conversation = toShortText(formatMessages(page.messages), "read_messages reads it in pages.");
  return `${formatSession(session)}\n\n${toQuoted(conversation)}`;
}

async function searchSessions(api: Api, query: Record<string, string>): Promise<SessionData[] | Refusal> {
  return await api.call<SessionData[]>("searchSessions", {
    query: { ...query, sort: "updated", pageSize: String(listedMax) },
  });
}

/** The ids of sessions that a person may mean, by a part of the title or the start of the id. */
export async function listSessionIds(api: Api, value: string): Promise<string[]> {
  const found = await searchSessions(api, value === "" || /^[\da-f-]{8,}$/.test(value) ? {} : { search: value });
  if (isRefusal(found)) return [];
  const ids = found.map(({ id }) => id);
  return /^[\da-f-]{8,}$/.test(value) ? ids.filter((id) => id.startsWith(value)) : ids;
}

async function completeSlug(api: Api, named: string, value: string): Promise<string[]> {
  const session = named === "" ? null : await findSession(api, named);
  if (session === null || isRefusal(session)) return [];
  const list = await api.call<{ artifacts: { slug: string }[] }>("listArtifacts", { params: toParams(session) });
  if (isRefusal(list)) return [];
  return list.artifacts.map(({ slug }) => slug).filter((slug) => slug.startsWith(value));
}
