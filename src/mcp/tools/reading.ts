// The tools that read lists, conversations, changes and files, and the one that shares a preview.
import * as z from "zod";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import type { Api } from "../api.ts";
import {
  formatMessages,
  formatSession,
  type MessageData,
  type SessionData,
  toOutcome,
  toQuoted,
  toShortText,
  withoutPrompt,
} from "../rules/text.ts";
import { createTool, findSession, readProjects, toParams } from "../tool.ts";
import { sessionField } from "./sessions.ts";

const listProjects = createTool({
  name: "list_projects",
  title: "List projects",
  description: "List the projects that you can reach.",
  effect: "read",
  input: z.object({}),
  async run(_, { api }) {
    const projects = await readProjects(api);
    if (isRefusal(projects)) return projects;
    const lines = projects.map(
      ({ id, name, repository, targetBranch }) => `${name}: ${repository}, ${targetBranch} (${id})`,
    );
    const text = toShortText(lines.join("\n"), "`data` has all of them.");
    return { text: text || "There is no project.", data: { projects } };
  },
});

const listSessions = createTool({
  name: "list_sessions",
  title: "List sessions",
  description: "List sessions, the most recently changed first.",
  effect: "read",
  input: z.object({
    project: z.string().optional().describe("The id of a project."),
    status: z.enum(["backlog", "active", "under-review", "completed", "archived"]).optional().describe("Only these."),
    needs_you: z.boolean().default(false).describe("Only those that somebody has to look at."),
    search: z.string().optional().describe("A part of the title or the prompt."),
    metadata: z.record(z.string(), z.string()).optional().describe("Only those with all of this metadata."),
    limit: z.int().min(1).max(50).default(20).describe("How many."),
  }),
  async run({ project, status, needs_you: needsYou, search, metadata = {}, limit }, { api }) {
    const sessions = await api.call<SessionData[]>("searchSessions", {
      query: {
        project,
        status,
        search,
        metadata: Object.entries(metadata).map(([key, value]) => `${key}:${value}`),
        sort: "updated",
        pageSize: String(limit),
        ...(needsYou && { needsYou: "true" }),
      },
    });
    if (isRefusal(sessions)) return sessions;
    const lines = sessions.map(
      ({ id, title, status: shown, latestChatJob, needsYouReason }) =>
        `${id.slice(-6)}  ${shown}, ${toOutcome(latestChatJob)}${needsYouReason === null ? "" : `, ${needsYouReason}`}  ${title}`,
    );
    return { text: lines.join("\n") || "There is no such session.", data: { sessions: sessions.map(withoutPrompt) } };
  },
});

const readMessages = createTool({
  name: "read_messages",
  title: "Read the conversation",
  description: "Read a page of the conversation of a session, the newest by default.",
  effect: "read",
  input: z.object({
    session: sessionField,
    before: z.string().optional().describe("`before` of the page that was read last, for the one before it."),
    limit: z.int().min(1).max(200).default(30).describe("How many messages and blocks."),
  }),
  async run({ session: named, before, limit }, { api }) {
    const session = await findSession(api, named);
    if (isRefusal(session)) return session;
    const page = await api.call<{ messages: MessageData[]; hasMore: boolean; before: string | null }>("readMessages", {
      params: toParams(session),
      query: { before, limit: String(limit), outputs: "1000" },
    });
    if (isRefusal(page)) return page;
    const { messages, hasMore } = page;
    const more = hasMore ? `\n\nEarlier messages: before ${page.before}.` : "";
    const text = toShortText(formatMessages(messages), "Ask for fewer with `limit`.");
    return { text: toQuoted(text) + more, data: { hasMore, before: page.before } };
  },
});

/** Reads what a session has changed. */
export async function readDiffText(
  api: Api,
  { session: named, path }: { session: string; path?: string | undefined },
): Promise<string | Refusal> {
  const session = await findSession(api, named);
  if (isRefusal(session)) return session;
  const asked = { params: toParams(session), query: { kept: "true", path } };
  const diff = await api.call<{ patch: string; isCut: boolean; asOf?: string | null }>("readDiff", asked);
  if (isRefusal(diff)) return diff;
  if (diff.patch === "") return "Nothing has changed.";
  const cut = diff.isCut ? "\n\n[Some files were too long. Ask for them by `path`.]" : "";
  return toQuoted(toShortText(diff.patch, "Ask for one file with `path`.")) + cut;
}

const readDiff = createTool({
  name: "read_diff",
  title: "Read the changes",
  description: "Read what a session has changed, as a patch: all of it, or one file or folder.",
  effect: "read",
  input: z.object({ session: sessionField, path: z.string().optional().describe("A file or a folder.") }),
  async run(input, { api }) {
    const text = await readDiffText(api, input);
    return isRefusal(text) ? text : { text };
  },
});

const readFile = createTool({
  name: "read_file",
  title: "Read a file",
  description: "Read a file of a session, as it is in its sandbox, which has to run.",
  effect: "read",
  input: z.object({
    session: sessionField,
    path: z.string().min(1).describe("The path, relative to the project's root."),
  }),
  async run({ session: named, path }, { api }) {
    const session = await findSession(api, named);
    if (isRefusal(session)) return session;
    const file = await api.call<{ content: string }>("readFile", { params: toParams(session), query: { path } });
    return isRefusal(file) ? file : { text: toQuoted(toShortText(file.content, "read_diff shows what has changed.")) };
  },
});

interface ArtifactData {
  id: string;
  slug: string;
  title: string;
  kind: string;
  body?: string | null;
  url?: string | null;
}

/** Reads an artifact of a session, or without `slug` their list. */
export async function readArtifactText(
  api: Api,
  { session: named, slug }: { session: string; slug?: string | undefined },
): Promise<string | Refusal> {
  const session = await findSession(api, named);
  if (isRefusal(session)) return session;
  const params = toParams(session);
  const list = await api.call<{ artifacts: ArtifactData[] }>("listArtifacts", { params });
  if (isRefusal(list)) return list;
  const listed = list.artifacts.map((one) => `${one.slug}: ${one.title} (${one.kind})`).join("\n");
  if (slug === undefined) return listed === "" ? "The session has no artifact." : toQuoted(listed);
  const wanted = list.artifacts.find((one) => one.slug === slug);
  if (!wanted) return refuse("NOT_FOUND", `The session has no artifact \`${slug}\`. It has: ${listed || "none"}.`);
  const artifact = await api.call<ArtifactData>("readArtifact", { params: { ...params, artifactId: wanted.id } });
  if (isRefusal(artifact)) return artifact;
  const { body, url } = artifact;
  if (body === null || body === undefined) return `A ${wanted.kind}. It can be downloaded at ${url}`;
  return toQuoted(toShortText(body, "Open the session to read all of it."));
}

const readArtifact = createTool({
  name: "read_artifact",
  title: "Read an artifact",
  description: "Read an artifact of a session, such as a document. Without `slug`, list them.",
  effect: "read",
  input: z.object({ session: sessionField, slug: z.string().optional().describe("The artifact's slug.") }),
  async run(input, { api }) {
    const text = await readArtifactText(api, input);
    return isRefusal(text) ? text : { text };
  },
});

const sharePreview = createTool({
  name: "share_preview",
  title: "Share the preview",
  description:
    "Create a public link to the preview of a session. Anybody who has the link can open it, until a person revokes it.",
  effect: "expose",
  input: z.object({ session: sessionField }),
  async run({ session: named }, { api }) {
    const session = await findSession(api, named);
    if (isRefusal(session)) return session;
    const shared = await api.call<{ share: { url: string } }>("createShareLink", {
      params: { projectId: session.projectId },
      body: { sessionId: session.id },
    });
    if (isRefusal(shared)) return shared;
    const { url } = shared.share;
    return { text: `${url}\nThe link is public.\n\n${formatSession(session)}`, data: { url } };
  },
});

export const readingTools = [listProjects, listSessions, readMessages, readDiff, readFile, readArtifact, sharePreview];
