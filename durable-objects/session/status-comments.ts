// Writes the comments at the code host that show the state of the session.
import { service } from "../../src/access/rules/actor.ts";
import { isUnfinished, type Turn } from "../../src/chat/rules/turn.ts";
import { createCodeHost } from "../../src/code-host/code-host.ts";
import { readOwnAccount } from "../../src/code-host/own-account.ts";
import { throwIfTemporary } from "../../src/code-host/temporary-failure.ts";
import { createSecret } from "../../src/lib/ids.ts";
import { createShareLink, findShareLink } from "../../src/preview/queries/share-links.ts";
import { findProject } from "../../src/project/queries.ts";
import { createProjectRedaction } from "../../src/project/settings.ts";
import { decided } from "../../src/rules/decision.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import type { Session } from "../../src/session/rules/session.ts";
import { isOpen } from "../../src/session/rules/status.ts";
import {
  findSharer,
  listStatusComments,
  type StatusComment,
  updateStatusComment,
} from "../../src/trigger/queries/status-comments.ts";
import { createMarker, createSenderKey, formatAnswer } from "../../src/trigger/rules/answer.ts";
import type { SessionContext } from "./context.ts";

/** The code host limits how often content is changed. */
const betweenEditsMs = 10_000;

/** Requests that the comments are written, and written again until that succeeds. */
export function planStatusComments({ decide }: SessionContext): void {
  decide(service, (state) => decided(state, null, [{ type: "answer-places" }]));
}

/** Writes the comments. Throws if it has to be repeated. */
export async function writeStatusComments(context: SessionContext): Promise<void> {
  const { env, store, decide } = context;
  const { session } = store.find() ?? {};
  if (!session) return;
  const comments = await listStatusComments(env.DB, session.id);
  const now = Date.now();
  const isDue = ({ editedAt }: StatusComment) => editedAt + betweenEditsMs <= now;
  for (const comment of comments.filter(isDue)) await writeStatusComment(context, comment, now);
  const waiting = comments.filter((comment) => !isDue(comment));
  if (waiting.length === 0) return;
  const at = Math.min(...waiting.map(({ editedAt }) => editedAt)) + betweenEditsMs;
  decide(service, (state) => decided(state, null, [{ type: "remind", name: "answer-places", at }]));
}

async function writeStatusComment(context: SessionContext, shown: StatusComment, now: number): Promise<void> {
  const { env, store, chat } = context;
  const { number, comment } = shown;
  if (comment === "deleted") return;
  const state = store.find();
  const project = await findProject(env.DB, shown.projectId);
  if (!state || !project) return;
  const turn = shown.content === "text" ? findAskedTurn(context, state.session, shown.sender) : null;
  const ended = isUnfinished(turn) ? null : turn;
  const [asked] = ended?.status === "awaiting_response" ? chat.conversation.listQuestions(ended.id) : [];
  const said = ended ? (asked?.question ?? chat.conversation.readReply(ended.id)) : null;
  const text = said && (await createProjectRedaction(env.SEALING_KEYS, [project])).whole(said);
  const slug = await findSharedSlug(context, shown, now);
  const body = formatAnswer(state, { publicUrl: env.PUBLIC_URL, text, slug, number });
  const host = createCodeHost(env, project);
  if (comment !== "missing") {
    const refused = await host.updateComment(project.repository, comment.id, body);
    if (refused?.code === "NOT_FOUND") return await updateStatusComment(env.DB, shown, { commentId: "deleted" });
    return refused ? throwIfTemporary(refused) : await updateStatusComment(env.DB, shown, { editedAt: now });
  }
  const own = await readOwnAccount(env, now);
  if (isRefusal(own)) return throwIfTemporary(own);
  if (own === null) return;
  const of = { number, body, login: own.login, marker: createMarker(shown.projectId) };
  const written = await host.writeComment(project.repository, of);
  if (isRefusal(written)) return throwIfTemporary(written);
  await updateStatusComment(env.DB, shown, { commentId: written, editedAt: now });
}

/**
 * The turn of what a trigger asked for. The turn after a question continues it. Null before there
 * is one: what a member wrote for the session is not published.
 */
function findAskedTurn(
  { chat: { conversation, store } }: SessionContext,
  { filedBy }: Session,
  sender: string | null,
): Turn | null {
  if (sender === null) return null;
  const turnId = conversation.findTriggeredTurn(sender);
  // A member starts what it filed, and is the author of the first message then.
  const isFiled = filedBy?.kind === "trigger" && createSenderKey(filedBy) === sender;
  let turn = turnId === null ? (isFiled ? store.turnNumbered(1) : null) : store.turn(turnId);
  while (turn?.status === "awaiting_response") {
    const next = store.turnNumbered(turn.number + 1);
    if (next === null) break;
    turn = next;
  }
  return turn;
}

/** The public link that a comment shows; null for none. The triggers' writer makes it, once. */
async function findSharedSlug(
  { env, store }: SessionContext,
  shown: StatusComment,
  now: number,
): Promise<string | null> {
  const { shareLink } = shown;
  const { session } = store.find() ?? {};
  if (shareLink === "none" || !session || !isOpen(session.status)) return null;
  const { id: sessionId, projectId, sandboxKey } = session;
  const createdBy = await findSharer(env.DB, projectId);
  if (createdBy === null) return null;
  if (shareLink !== "wanted")
    return (await findShareLink(env.DB, sandboxKey))?.slug === shareLink.slug ? shareLink.slug : null;
  const link = {
    slug: createSecret(),
    projectId,
    sessionId,
    sandboxKey,
    createdBy,
    createdAt: now,
    lastViewedAt: null,
  };
  const { slug } = await createShareLink(env.DB, link);
  await updateStatusComment(env.DB, shown, { slug });
  return slug;
}
