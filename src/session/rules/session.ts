// A chat session: its record, and how it is created. Messages and turns belong to its chat.

import { type Author, findUser, getAuthor, type Sender } from "../../access/rules/actor.ts";
import { type ChatState, createChatState } from "../../chat/rules/chat.ts";
import { getWriter, getWriterByAuthor, type Writer } from "../../chat/rules/message.ts";
import { type Decided, decided } from "../../rules/decision.ts";
import type { SessionEffect } from "../../rules/effect.ts";
import { type Automatic, createAutomatic } from "./automatic.ts";
import { createBranchName } from "./branch.ts";
import type { Metadata } from "./metadata.ts";
import type { OpenPrTask, PullRequestReport, PullRequestState, Shipping } from "./pull-request/state.ts";
import type { RuntimeCommandRun } from "./runtime-command.ts";
import type { SessionStatus } from "./status.ts";

export const priorities = ["none", "low", "medium", "high", "urgent"] as const;
export type Priority = (typeof priorities)[number];

/**
 * Where a title is from: the first line of the first message, or the default without one; a model;
 * or a person or program that gave it.
 */
export const titleSources = ["first_line", "generated", "person"] as const;
export type TitleSource = (typeof titleSources)[number];

/** The Assignee of a session: a member, or the service for sessions that a cron files. */
export type Assignee = { kind: "member"; userId: string; name: string; imageUrl: string | null } | { kind: "service" };

/** The sender that filed a session, if it was not a member. */
export type FiledBy = Exclude<Author, { kind: "member" | "service" }>;

export interface Session {
  id: string;
  workspaceId: string;
  projectId: string;
  title: string;
  titleSource: TitleSource;
  prompt: string | null;
  /** The author of the prompt; null if `filedBy` says it. */
  promptWriter: Writer | null;
  status: SessionStatus;
  priority: Priority;
  /** What its turns may cost the workspace, in US dollars; null for no limit. */
  spendLimitUsd: number | null;
  branch: string | null;
  targetBranch: string;
  metadata: Metadata;
  sandboxKey: string;
  assignee: Assignee | null;
  createdBy: string | null;
  filedBy: FiledBy | null;
  /** The length of the chain of agents that led to it; 0 if no agent of a session filed it. */
  filedDepth: number;
  prUrl: string | null;
  prNumber: number | null;
  prState: PullRequestState | null;
  /** The branch that the pull request is to be merged into; null before there is one. */
  prBase: string | null;
  isBehind: boolean;
  /** When the present reason why it needs somebody began; null without one. */
  needsYouSince: number | null;
  /**
   * The newest commit of the Target Branch that the sandbox has reported for its branch; null
   * before its first report.
   */
  targetCommit: string | null;
  /** The code host's report on the pull request; null before the first one. */
  prReport: PullRequestReport | null;
  /** The progress of the newest turn that opens the pull request. */
  openPr: OpenPrTask | null;
  /** The request to merge it; null until the ship skill has run. */
  ship: Shipping | null;
  /** What triggers did since a person last wrote; null if they did nothing. */
  automatic: Automatic | null;
  /** The newest runtime command, in flight or not. */
  command: RuntimeCommandRun | null;
  createdAt: number;
  updatedAt: number;
  startedAt: number | null;
  endedAt: number | null;
}

/** The state that the rules of a session need. Its size does not grow with the conversation. */
export interface SessionState {
  session: Session;
  chat: ChatState;
}

/** The parameters of a new session. The caller generates ids and names. */
export interface NewSession {
  id: string;
  workspaceId: string;
  projectId: string;
  title: string;
  /** `person` by default, so that no given title is replaced. */
  titleSource?: TitleSource;
  prompt: string | null;
  status: "active" | "backlog";
  priority: Priority;
  model: string | null;
  targetBranch: string;
  sandboxKey: string;
  conversationId: string;
  assignee: Assignee | null;
  spendLimitUsd?: number | null;
  metadata?: Metadata;
  /** Set if the agent of a session files it. */
  filedDepth?: number;
}

/**
 * Creates a session (Part 1, "Chat session"; decisions, "Chat sessions"). A Backlog session has no
 * branch until it is started.
 */
export function createSession(
  command: NewSession,
  by: Sender,
  now: number,
): Decided<SessionState, Session, SessionEffect> {
  const { model, conversationId, ...record } = command;
  const started = command.status === "active";
  const author = getAuthor(by);
  const session: Session = {
    ...record,
    titleSource: command.titleSource ?? "person",
    promptWriter: command.prompt === null ? null : getWriter(by),
    // A session that a cron run files belongs to the service, no matter who made the cron.
    createdBy: by.type === "cron-run" ? null : (findUser(by)?.id ?? null),
    filedBy: toFiledBy(author),
    filedDepth: command.filedDepth ?? 0,
    spendLimitUsd: command.spendLimitUsd ?? null,
    metadata: command.metadata ?? {},
    branch: started ? createBranchName(command.title, command.id) : null,
    prUrl: null,
    prNumber: null,
    prState: null,
    prBase: null,
    isBehind: false,
    needsYouSince: null,
    targetCommit: null,
    prReport: null,
    openPr: null,
    ship: null,
    automatic: createAutomatic(by),
    command: null,
    createdAt: now,
    updatedAt: now,
    startedAt: started ? now : null,
    endedAt: null,
  };
  return decided({ session, chat: createChatState({ model, conversationId }) }, session, [
    { type: "index-session" },
    ...(Object.keys(session.metadata).length > 0 ? [{ type: "index-metadata" } as const] : []),
  ]);
}

/**
 * The sender that files a session. Lists show it, and a row of a list has neither login nor
 * sender, which would stay there when its person is deleted.
 */
function toFiledBy(author: ReturnType<typeof getAuthor>): FiledBy | null {
  if (author.kind === "member") return null;
  if (author.kind === "relay") return { kind: "relay" };
  return author.kind === "trigger" ? { ...author, login: null } : author;
}

/** Who wrote the prompt of a session. */
export function getPromptWriter({ promptWriter, filedBy }: Session): Writer {
  return promptWriter ?? (filedBy === null ? "person" : getWriterByAuthor(filedBy));
}

const titleLength = 80;

/** The default title of a session: the first line of its first message. */
export function createTitle(text: string): string {
  const line = text.trim().split("\n", 1)[0]?.trim() ?? "";
  if (line === "") return "Untitled session";
  // Cut by code points, so that no character is split.
  const characters = [...line];
  if (characters.length <= titleLength) return line;
  const kept = characters.slice(0, titleLength - 1).join("");
  return `${kept.trimEnd()}…`;
}
