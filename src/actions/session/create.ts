// Creating a session: its record, its object and, when a message comes with it, its first turn.
import { sessionObject } from "../../../durable-objects/address.ts";
import type { Begun, FirstMessage } from "../../../durable-objects/session/rpc.ts";
import type { Env } from "../../env.ts";
import { newId, newName } from "../../ids.ts";
import { catalog } from "../../models/catalog.ts";
import { authorOf } from "../../rules/access/actor.ts";
import type { Caller } from "../../rules/access/caller.ts";
import { mayFile } from "../../rules/access/cron-run-key.ts";
import { textMessage } from "../../rules/chat/message.ts";
import type { Idempotency } from "../../rules/idempotency.ts";
import { sandboxKeyCharacters } from "../../rules/limits.ts";
import { canRun, checkChosenModel, checkInCatalog } from "../../rules/model/model.ts";
import type { ProviderId } from "../../rules/model/provider.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { sandboxKey } from "../../rules/sandbox/sandbox.ts";
import { type Assignee, type NewSession, type Priority, titleOf } from "../../rules/session/session.ts";
import type { Found } from "../../storage/queries/access.ts";
import { claimSessionId } from "../../storage/queries/session-creates.ts";
import { checkTargetBranch } from "./check-target-branch.ts";
import { assigneeNamed } from "./find-assignee.ts";
import { workCircumstances } from "./work-facts.ts";

export interface SessionWish {
  title?: string | undefined;
  content?: string | undefined;
  prompt?: string | undefined;
  status: "active" | "backlog";
  model?: string | undefined;
  priority: Priority;
  /** Null leaves it unassigned; undefined makes it the caller's. */
  assigneeId?: string | null | undefined;
  targetBranch?: string | undefined;
}

interface Command {
  caller: Caller;
  found: Found<"project", "runningMsThisMonth">;
  wish: SessionWish;
  repeat: Idempotency | null;
  now: number;
}

/** Creates a session in a project. */
export async function createSession(env: Env, command: Command): Promise<Begun | Refusal> {
  const { caller, found, wish, repeat, now } = command;
  const { workspace, project } = found;
  const content = wish.content?.trim() === "" ? undefined : wish.content;
  const refusal = mayFile(caller.facts, wish.status) ?? refusalOf(wish, content, new Set(workspace.providers));
  if (refusal) return refusal;
  const assignee = await assigneeNamed(env, workspace.id, wish.assigneeId);
  if (isRefusal(assignee)) return assignee;
  const { targetBranch = project.targetBranch } = wish;
  const absent = targetBranch === project.targetBranch ? null : await checkTargetBranch(env, project.id, targetBranch);
  if (absent) return absent;
  const id = await sessionIdOf(env, repeat, now);
  if (isRefusal(id)) return id;
  const author = authorOf(caller.actor);
  const session: NewSession = {
    id,
    workspaceId: workspace.id,
    projectId: project.id,
    title: wish.title ?? titleOf(content ?? wish.prompt ?? ""),
    prompt: wish.prompt ?? null,
    status: wish.status,
    priority: wish.priority,
    model: wish.model ?? null,
    targetBranch,
    sandboxKey: sandboxKey("session", newName(sandboxKeyCharacters)),
    conversationId: newId(now),
    assignee: assignee === undefined ? callerAsAssignee(caller) : assignee,
    createdBy: caller.user?.id ?? null,
    filedBy: author.kind === "member" ? null : author,
  };
  const order = { author, model: null, runningTurnId: null, retriedTurnId: null, seen: null };
  const first: FirstMessage | null =
    content === undefined
      ? null
      : { order: { ...order, body: textMessage(content) }, circumstances: workCircumstances(found) };
  return await sessionObject(env, id).begin(session, first, repeat);
}

/** The same request again leads to the same session. */
async function sessionIdOf(env: Env, repeat: Idempotency | null, now: number): Promise<string | Refusal> {
  const sessionId = newId(now);
  if (repeat === null) return sessionId;
  const claimed = await claimSessionId(env.DB, { ...repeat, sessionId, now });
  return isRefusal(claimed) ? claimed : claimed.sessionId;
}

function callerAsAssignee({ user }: Caller): Assignee | null {
  return user && { kind: "member", userId: user.id, name: user.name, imageUrl: user.imageUrl };
}

function refusalOf(wish: SessionWish, content: string | undefined, runnable: ReadonlySet<ProviderId>): Refusal | null {
  if (wish.status === "backlog" && content !== undefined) {
    return refuse("BAD_REQUEST", "A Backlog session takes a prompt, not content. Send prompt, or create it active.");
  }
  if (wish.model === undefined) return null;
  const facts = { catalog, runnable };
  // With a first message the refusal says no more than that (Part 1, "Models").
  if (content === undefined) return checkChosenModel(wish.model, facts);
  const unknown = checkInCatalog(wish.model, catalog);
  if (unknown || canRun(wish.model, facts)) return unknown;
  return refuse("BAD_REQUEST", "The session could not be created on this model.");
}
