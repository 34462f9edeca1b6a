// Creates a session: its record, its object and, with a first message, its first turn.
import { getSessionObject } from "../../durable-objects/address.ts";
import type { FirstMessage, StartedSession, StartResult } from "../../durable-objects/session/rpc.ts";
import type { Found } from "../access/queries.ts";
import type { RelaySender } from "../access/rules/actor.ts";
import { type Caller, checkAssignment, toActorFor } from "../access/rules/caller.ts";
import { type Attachment, createTextMessage, isEmptyMessage, type MessageBody } from "../chat/rules/message.ts";
import { findRunModel } from "../cron/queries/runs.ts";
import type { Env } from "../env.ts";
import { createId, createName } from "../lib/ids.ts";
import { catalog } from "../model/catalog.ts";
import type { TurnModelFacts } from "../model/rules/choice.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { findMemberModels } from "../provider-login/queries/subscriptions.ts";
import type { Idempotency } from "../rules/idempotency.ts";
import { sandboxKeyCharacters } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { createSandboxKey } from "../sandbox/rules/sandbox-key.ts";
import { findCreated, getClaimedId } from "../storage/idempotent-create.ts";
import { checkTargetBranch, findAssignee } from "./check-changes.ts";
import { getModelFacts, getStartFacts } from "./facts.ts";
import { checkPlace, createInPlace } from "./place.ts";
import { checkFiling } from "./rules/cron-run-rights.ts";
import { type Metadata, updateMetadata } from "./rules/metadata.ts";
import { checkModelOfNew, findModelOfFiled, mayFileOn } from "./rules/model.ts";
import { type Assignee, createTitle, type NewSession, type Priority } from "./rules/session.ts";

export interface SessionDraft {
  title?: string | undefined;
  content?: string | undefined;
  prompt?: string | undefined;
  status: "active" | "backlog";
  model?: string | undefined;
  priority: Priority;
  /** Null leaves it unassigned; undefined assigns it to the caller. */
  assigneeId?: string | null | undefined;
  targetBranch?: string | undefined;
  spendLimitUsd?: number | null | undefined;
  metadata?: Metadata | undefined;
  /** Of the result of the first turn, as JSON. */
  resultSchema?: string | undefined;
  /** The place of a relay whose session it is. */
  place?: { kind: string; id: string } | undefined;
  sender?: RelaySender | undefined;
}

/**
 * A created session. `isNew` is false for the session that a place had, `isRepeat` true if an
 * earlier request with the same key created it.
 */
export type Created = StartedSession & { isNew: boolean };

interface Command {
  caller: Caller;
  found: Found<"project", "runningMsThisMonth" | "workspaceSpend" | "callerModels">;
  draft: SessionDraft;
  /** The files of the first message. */
  attachments?: Attachment[];
  /** The id of the session that they are stored for. */
  reservedId?: string | undefined;
  repeat: Idempotency | null;
  now: number;
}

/**
 * Creates a session in a project. With an Idempotency-Key, a repeat returns the same session. With
 * a place that has a session, returns that one.
 */
export async function createSession(env: Env, command: Command): Promise<Created | Refusal> {
  const { found, draft, attachments = [], repeat, now } = command;
  const { content: text = "", place } = draft;
  const content = isEmptyMessage({ content: text, attachments }) ? undefined : text;
  const prepared = await prepareSession(env, command, content);
  if (isRefusal(prepared)) return (await findFirst(env, command)) ?? prepared;
  const { by, session, models } = prepared;
  const send = { model: null, runningTurnId: null, retriedTurnId: null, seen: null };
  const first: FirstMessage | null =
    content === undefined
      ? null
      : {
          request: { ...send, body: createFirstMessage(content, draft, attachments) },
          facts: getStartFacts(found, models),
        };
  const create = (sessionId: string) =>
    getSessionObject(env, sessionId).create({ ...session, id: sessionId }, { by, first }, repeat);
  if (place === undefined) return asNew(await create(session.id), () => true);
  const asked = { kind: place.kind, externalId: place.id };
  const claim = { projectId: session.projectId, place: asked, newId: session.id, isRepeatable: repeat !== null };
  const started = await createInPlace(env, claim, create, now);
  return asNew(started, (one) => (first === null ? one.session.session.id === session.id : one.delivery !== null));
}

/** The answer of the first request with the same key; null if it created no session. */
async function findFirst(env: Env, command: Command): Promise<Created | Refusal | null> {
  const { repeat } = command;
  return await findCreated(env.DB, command, async (id) => {
    const first = repeat && (await getSessionObject(env, id).findResult(repeat));
    if (first === null || isRefusal(first)) return first;
    return { ...(first.result as StartResult), isRepeat: true, isNew: true };
  });
}

interface Prepared {
  by: Caller["actor"];
  session: NewSession;
  models: TurnModelFacts;
}

/** Checks the draft, and returns the session that it describes, with the models that it can run. */
async function prepareSession(env: Env, command: Command, content: string | undefined): Promise<Prepared | Refusal> {
  const { caller, found, draft, attachments = [], repeat, now } = command;
  const { workspace, project } = found;
  const forbidden =
    checkFiling(caller.facts, draft.status) ??
    checkAssignment(caller, draft.assigneeId) ??
    checkPlace(caller, draft.place, attachments);
  if (forbidden) return forbidden;
  const by = toActorFor(caller, draft.sender);
  if (isRefusal(by)) return by;
  const named = await findAssignee(env, workspace.id, draft.assigneeId);
  if (isRefusal(named)) return named;
  const assignee = named === undefined ? findCallerAsAssignee(caller) : named;
  const models = await getModels(env, command, assignee);
  const model = await findModelOfNew(env, caller, draft, models.runnable);
  const refusal = checkDraft({ ...draft, model }, content, models.runnable);
  if (refusal) return refusal;
  const metadata = updateMetadata({}, draft.metadata ?? {});
  if (isRefusal(metadata)) return metadata;
  const { targetBranch = project.targetBranch } = draft;
  const absent = targetBranch === project.targetBranch ? null : await checkTargetBranch(env, project.id, targetBranch);
  if (absent) return absent;
  const id = await getClaimedId(env.DB, repeat, now, command.reservedId);
  if (isRefusal(id)) return id;
  const depth = await recordDepth(env, caller, id);
  if (isRefusal(depth)) return depth;
  const session: NewSession = {
    id,
    workspaceId: workspace.id,
    projectId: project.id,
    title: draft.title ?? createTitle(content ?? draft.prompt ?? ""),
    titleSource: draft.title === undefined ? "first_line" : "person",
    prompt: draft.prompt ?? null,
    status: draft.status,
    priority: draft.priority,
    model: model ?? null,
    targetBranch,
    sandboxKey: createSandboxKey("session", createName(sandboxKeyCharacters)),
    conversationId: createId(now),
    assignee,
    spendLimitUsd: draft.spendLimitUsd ?? null,
    metadata,
    ...depth,
  };
  return { by, session, models };
}

function asNew(started: StartedSession | Refusal, isNew: (started: StartResult) => boolean): Created | Refusal {
  return isRefusal(started) ? started : { ...started, isNew: isNew(started) };
}

function createFirstMessage(content: string, { resultSchema }: SessionDraft, attachments: Attachment[]): MessageBody {
  const message = { ...createTextMessage(content), attachments };
  return resultSchema ? { ...message, context: { ...message.context, resultSchema } } : message;
}

/**
 * The models that the session can run. Reads the Assignee's provider logins if the Assignee is not
 * the caller.
 */
async function getModels(env: Env, { caller, found }: Command, assignee: Assignee | null): Promise<TurnModelFacts> {
  const { workspace, callerModels } = found;
  const isOther = assignee?.kind === "member" && assignee.userId !== callerModels?.userId;
  const assigneeModels = isOther ? await findMemberModels(env.DB, workspace.id, assignee.userId) : callerModels;
  const filedBy = caller.actor.type === "relay" ? { kind: "relay" } : null;
  return getModelFacts(workspace, { assignee, filedBy }, caller.actor, [assigneeModels]);
}

/** The model of the new session: that of the request, or what a cron run gets. */
async function findModelOfNew(
  env: Env,
  { actor }: Caller,
  { model }: SessionDraft,
  runnable: ReadonlySet<ProviderId>,
): Promise<string | undefined> {
  if (actor.type !== "cron-run") return model;
  const facts = { catalog, runnable };
  return mayFileOn(model, facts) ? model : findModelOfFiled(await findRunModel(env.DB, actor.runId), facts);
}

/** The depth of a session that the caller files. The session of an agent counts what it files. */
async function recordDepth(env: Env, { actor, turnId }: Caller, filedId: string) {
  if (actor.type !== "session-agent") return {};
  return await getSessionObject(env, actor.sessionId).fileSession({ turnId: turnId ?? "", filedId });
}

function findCallerAsAssignee({ user, actor }: Caller): Assignee | null {
  if (actor.type === "cron-run") return { kind: "service" };
  return user && { kind: "member", userId: user.id, name: user.name, imageUrl: user.imageUrl };
}

function checkDraft(
  draft: SessionDraft,
  content: string | undefined,
  runnable: ReadonlySet<ProviderId>,
): Refusal | null {
  if (draft.status === "backlog" && content !== undefined) {
    return refuse(
      "BAD_REQUEST",
      "A Backlog session takes a prompt, not content or files. Send prompt, or create it active.",
    );
  }
  if (draft.resultSchema && content === undefined)
    return refuseField("resultSchema", "is for the first message. Send content with it");
  return checkModelOfNew(draft.model, content !== undefined, { catalog, runnable });
}
