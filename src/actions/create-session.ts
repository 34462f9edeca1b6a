// Creating a session: its record, its object and, when a message comes with it, its first turn.
import { sessionObject } from "../../durable-objects/address.ts";
import type { Begun, FirstMessage } from "../../durable-objects/session-calls.ts";
import type { Env } from "../env.ts";
import { newId, newName } from "../ids.ts";
import { catalog } from "../models/catalog.ts";
import type { Caller } from "../rules/caller.ts";
import { sandboxKeyCharacters } from "../rules/limits.ts";
import { textMessage } from "../rules/message.ts";
import { canRun, checkInCatalog } from "../rules/model.ts";
import type { ProviderId } from "../rules/provider.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { sandboxKey } from "../rules/sandbox.ts";
import { type Assignee, type NewSession, type Priority, titleOf } from "../rules/session.ts";
import type { NounsFound } from "../storage/queries/access.ts";
import { modelCircumstances } from "./model-circumstances.ts";

export interface SessionWish {
  title?: string | undefined;
  content?: string | undefined;
  prompt?: string | undefined;
  status: "active" | "backlog";
  model?: string | undefined;
  priority: Priority;
  targetBranch?: string | undefined;
}

interface Command {
  caller: Caller;
  found: NounsFound["project"];
  wish: SessionWish;
  now: number;
}

/** Creates a session in a project. */
export async function createSession(env: Env, { caller, found, wish, now }: Command): Promise<Begun | Refusal> {
  const { workspace, project } = found;
  const content = wish.content?.trim() === "" ? undefined : wish.content;
  const refusal = refusalOf(wish, content, new Set(workspace.providers));
  if (refusal) return refusal;
  const assignee: Assignee | null = caller.user && {
    kind: "member",
    userId: caller.user.id,
    name: caller.user.name,
    imageUrl: caller.user.imageUrl,
  };
  const session: NewSession = {
    id: newId(now),
    workspaceId: workspace.id,
    projectId: project.id,
    title: wish.title ?? titleOf(content ?? wish.prompt ?? ""),
    prompt: wish.prompt ?? null,
    status: wish.status,
    priority: wish.priority,
    model: wish.model ?? null,
    targetBranch: wish.targetBranch ?? project.targetBranch,
    sandboxKey: sandboxKey("session", newName(sandboxKeyCharacters)),
    conversationId: newId(now),
    assignee,
    createdBy: caller.user?.id ?? null,
    filedBy: caller.author.kind === "member" ? null : caller.author,
  };
  const first: FirstMessage | null =
    content === undefined
      ? null
      : {
          order: { body: textMessage(content), author: caller.author, model: null, runningTurnId: null },
          circumstances: modelCircumstances(workspace),
        };
  return await sessionObject(env, session.id).begin(session, first);
}

function refusalOf(wish: SessionWish, content: string | undefined, runnable: ReadonlySet<ProviderId>): Refusal | null {
  if (wish.status === "backlog" && content !== undefined) {
    return refuse("BAD_REQUEST", "A Backlog session takes a prompt, not content. Send prompt, or create it active.");
  }
  if (wish.model === undefined) return null;
  const unknown = checkInCatalog(wish.model, catalog);
  if (unknown) return unknown;
  const facts = { catalog, runnable };
  if (content === undefined || canRun(wish.model, facts)) return null;
  return refuse("BAD_REQUEST", "The session could not be created on this model.");
}
