// Live events on the wire: converts the events of a chat and of its owner to server-sent events.

import { viewOnWire } from "../../resources/session.ts";
import { time } from "../../resources/wire-values.ts";
import type { SessionChanged } from "../../rules/session/live-event.ts";
import { toListed } from "../../rules/session/summary.ts";
import type { Block } from "../rules/block.ts";
import type { NewMessage } from "../rules/chat.ts";
import type { ChatEvent } from "../rules/live-event.ts";
import { authorOnWire } from "./author.ts";
import { jobOnWire } from "./job.ts";
import { attachmentOnWire } from "./message-attachment.ts";
import { contextOnWire, hasContext } from "./message-message-context.ts";

const liveEventNames = ["job", "queue", "block", "delta", "session", "end"] as const;
export type LiveEventName = (typeof liveEventNames)[number];

/** A subscriber requests the next batch with `more`. The object sends `live` once there are no earlier events left. */
export const moreFrame = "more";
export const liveFrame = "live";

export interface WireEvent {
  event: string;
  data: unknown;
}

type Place = Parameters<typeof attachmentOnWire>[0];

/** Converts an event of a chat. `place` is for the URLs of its attachments. */
export function chatEventOnWire(event: ChatEvent, place: Place): WireEvent {
  switch (event.type) {
    case "turn":
      return { event: "job", data: { job: jobOnWire(event.turn) } };
    case "turn-ended":
      return { event: "end", data: { jobId: event.turnId, ...event.turn } };
    case "message":
      return { event: "block", data: messageData(event.message, place) };
    case "answer-block": {
      const { turnId: jobId, messageId, place: index, block } = event;
      return { event: "block", data: { jobId, messageId, role: "assistant", index, block } };
    }
    case "answer-text": {
      const { turnId: jobId, messageId, place: index, delta } = event;
      return { event: "delta", data: { jobId, messageId, index, delta } };
    }
    case "up-next": {
      const { messages, pause } = event;
      const paused = pause && { reason: pause.reason, pausedAt: time(pause.pausedAt) };
      const placed = messages.map(({ id, version }, position) => ({ id, position, version }));
      return { event: "queue", data: { count: messages.length, paused, messages: placed } };
    }
    case "system-message": {
      const { id: messageId, about: deployJobId, content, createdAt } = event.message;
      const block: Block = { type: "text", content };
      return {
        event: "block",
        data: { deployJobId, messageId, role: "system", index: 0, block, createdAt: time(createdAt) },
      };
    }
    case "deleted":
      return { event: "end", data: { deleted: true } };
  }
}

/** Converts an event of a session. */
export function sessionEventOnWire(event: ChatEvent | SessionChanged, place: Place, publicUrl: string): WireEvent {
  if (event.type !== "session-changed") return chatEventOnWire(event, place);
  const { summary, command } = event.view;
  // The logs of earlier versions hold whole prompts.
  return { event: "session", data: { session: viewOnWire({ summary: toListed(summary), command }, publicUrl) } };
}

/** A user's message: its text as a block, its attachments and its context. */
function messageData(message: NewMessage, place: Place) {
  const { id, turnId, content, delivery, author, attachments, context, createdAt } = message;
  const block: Block = { type: "text", content };
  return {
    jobId: turnId,
    messageId: id,
    role: "user",
    index: 0,
    block,
    delivery,
    author: authorOnWire(author),
    attachments: attachments.map((attachment) => attachmentOnWire(place, attachment)),
    ...(hasContext(context) ? { context: contextOnWire(context) } : {}),
    createdAt: time(createdAt),
  };
}

/** Formats a server-sent event. The data is JSON, which contains no line breaks. */
export function eventText({ id, event, data }: { id: number | string; event: string; data: string }): string {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}
