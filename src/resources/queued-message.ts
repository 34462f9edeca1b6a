// Up next on the wire: the waiting messages in the order they will be sent, and why they wait longer than the running turn.
import * as z from "zod";
import { type Actor, isOwn, standingTowards } from "../rules/access/actor.ts";
import { mayAct } from "../rules/access/permission.ts";
import { isUnfinished } from "../rules/chat/turn.ts";
import type { QueuedMessage } from "../rules/chat/up-next.ts";
import type { SessionState } from "../rules/session/session.ts";
import { attachmentOnWire, attachmentSchema } from "./attachment.ts";
import { authorOnWire, authorSchema } from "./author.ts";
import { contextOnWire, contextSchema } from "./message-context.ts";
import { pausedSchema } from "./session.ts";
import { time, timestamp, uuid } from "./wire-values.ts";

const queuedMessageSchema = z.object({
  id: uuid,
  content: z.string(),
  position: z.int(),
  author: authorSchema,
  attachments: z.array(attachmentSchema),
  context: contextSchema,
  version: z.int(),
  editingBy: z.object({ userId: z.string() }).nullable(),
  can: z.object({ edit: z.boolean(), move: z.boolean(), steer: z.boolean(), delete: z.boolean() }),
  createdAt: timestamp,
});

export const queueSchema = z
  .object({ messages: z.array(queuedMessageSchema), paused: pausedSchema })
  .meta({ description: "Up next." });

/** Up next as the viewer sees it: `can` says what they may do. */
export function queueOnWire(state: SessionState, viewer: Actor, now: number): z.infer<typeof queueSchema> {
  const { upNext, pause } = state;
  return {
    messages: upNext.map((message, position) => queuedMessageOnWire(state, message, position, viewer, now)),
    paused: pause && { reason: pause.reason, pausedAt: time(pause.pausedAt) },
  };
}

function queuedMessageOnWire(
  { session, turn }: SessionState,
  message: QueuedMessage,
  position: number,
  viewer: Actor,
  now: number,
): z.infer<typeof queuedMessageSchema> {
  const { id, content, author, attachments, context, version, editing, createdAt } = message;
  const standing = standingTowards(author, viewer);
  const mayChange = mayAct("up-next.change", standing) === null;
  const runsOwnTurn = isUnfinished(turn) && turn.status === "running" && isOwn(turn.sender, viewer);
  return {
    id,
    content,
    position,
    author: authorOnWire(author),
    attachments: attachments.map((attachment) => attachmentOnWire(session, attachment)),
    context: contextOnWire(context),
    version,
    editingBy: editing && editing.until > now ? { userId: editing.userId } : null,
    can: {
      edit: mayChange,
      move: mayChange,
      steer: mayChange && runsOwnTurn,
      delete: mayAct("up-next.delete", standing) === null,
    },
    createdAt: time(createdAt),
  };
}
