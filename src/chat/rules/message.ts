// A message to the agent: its text, attachments and context. Its author and time belong to the types that contain it.
import type { Author } from "../../access/rules/actor.ts";
import type { Block } from "./block.ts";
import type { Writer } from "./message-writer.ts";

/** A file of a message. Its bytes are in storage under its id. */
export interface Attachment {
  id: string;
  name: string;
  mediaType: string;
  byteSize: number;
}

/** A chosen option of a clarification: the texts of question and option. */
export interface ChosenOption {
  question: string;
  option: string;
}

/** What the sender pointed at. */
export interface MessageContext {
  /** The page of the preview that the sender had open. */
  preview: { frontendName: string; path: string } | null;
  /** Review comments sent as feedback. They are read again when the turn starts. */
  reviewCommentIds: string[];
  /** In the order of the questions; missing if the send has no answers. */
  answers?: ChosenOption[];
  /** The last edit of a message that waited Up next; missing for one that was sent at once. */
  writtenAt?: number;
  /** The writer of its text; missing if it follows from the author. */
  writer?: Writer;
}

export interface MessageBody {
  content: string;
  attachments: Attachment[];
  context: MessageContext;
}

export const noContext: MessageContext = { preview: null, reviewCommentIds: [] };

/** A message that was said, with who said it; null for one that is not known any more. */
export type SaidMessage = MessageBody & { author: Author | null };

/** A message with only a text. */
export function textMessage(content: string): MessageBody {
  return { content, attachments: [], context: noContext };
}

/** `system` is a sentence of the service. */
export const messageRoles = ["user", "assistant", "system"] as const;

/** A message of the conversation, as it is read. */
export interface Message {
  id: string;
  role: (typeof messageRoles)[number];
  /** Its turn; for a sentence of the service, what it is about. */
  turnId: string;
  content: string | null;
  blocks: Block[];
  attachments: Attachment[];
  context: MessageContext;
  delivery: "job" | "steer" | null;
  author: Author | null;
  createdAt: number;
}
