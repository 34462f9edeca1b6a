// A message on its way to the agent: its text, and what comes with it. Whose it is and when it goes stands with whoever carries it.
import type { Author } from "../access/actor.ts";
import type { Block } from "./block.ts";
import type { Writer } from "./writer.ts";

/** A file sent with a message. Its bytes rest in storage under its id. */
export interface Attachment {
  id: string;
  name: string;
  mediaType: string;
  byteSize: number;
}

/** An option that the sender chose for a question of the clarification that the message answers, both in words. */
export interface ChosenOption {
  question: string;
  option: string;
}

/** What the sender pointed at. */
export interface MessageContext {
  /** The page of the preview that the sender looks at. */
  preview: { frontendName: string; path: string } | null;
  /** Review comments sent as feedback; they are read again when the message goes out. */
  reviewCommentIds: string[];
  /** In the order of the questions; missing where none was chosen by a field of the send. */
  answers?: ChosenOption[];
  /** When its text was last written, where it has waited Up next since; missing for one that went out at once. */
  writtenAt?: number;
  /** Who wrote its text; missing where its author tells. */
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

/** A message of text alone. */
export function textMessage(content: string): MessageBody {
  return { content, attachments: [], context: noContext };
}

/** A message of the conversation, as it is read. */
export interface Message {
  id: string;
  role: "user" | "assistant";
  turnId: string;
  content: string | null;
  blocks: Block[];
  attachments: Attachment[];
  context: MessageContext;
  delivery: "job" | "steer" | null;
  author: Author | null;
  createdAt: number;
}
