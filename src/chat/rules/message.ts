// A message to the agent: its text, attachments and context. Its author and time belong to the
// types that contain it.
import { type Actor, type Author, findOwner } from "../../access/rules/actor.ts";
import type { Block } from "./block.ts";

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

/** What the sender referred to. */
export interface MessageContext {
  /** The page of the preview that the sender had open. */
  preview: { frontendName: string; path: string } | null;
  /** Review comments sent as feedback. They are read again when the turn starts. */
  reviewCommentIds: string[];
  /** In the order of the questions; missing if the send has no answers. */
  answers?: ChosenOption[];
  /**
   * The time of the last edit while the message waited in Up next; missing if it was sent
   * immediately.
   */
  writtenAt?: number;
  /** The writer of its text; missing if it follows from the author. */
  writer?: Writer;
  /** The schema of the result that its turn must submit, as JSON; missing for none. */
  resultSchema?: string;
}

export interface MessageBody {
  content: string;
  attachments: Attachment[];
  context: MessageContext;
}

export const noContext: MessageContext = { preview: null, reviewCommentIds: [] };

/** A message with its author; null if the author is no longer known. */
export type SaidMessage = MessageBody & { author: Author | null };

/** A message with only a text. */
export function createTextMessage(content: string): MessageBody {
  return { content, attachments: [], context: noContext };
}

/**
 * True for a message that says nothing: it has neither text, files, review comments nor answers
 * (Part 1, "Send body").
 */
export function isEmptyMessage({
  content,
  ...parts
}: {
  content: string;
  attachments?: readonly unknown[];
  reviewComments?: readonly unknown[];
  answers?: readonly unknown[];
}): boolean {
  return content.trim() === "" && Object.values(parts).every((part) => part.length === 0);
}

/** `system` is a sentence of the service. */
export const messageRoles = ["user", "assistant", "system"] as const;

/** A message of the conversation, as reads return it. */
export interface Message {
  id: string;
  role: (typeof messageRoles)[number];
  /** Its turn; for a sentence of the service, its subject. */
  turnId: string;
  content: string | null;
  blocks: Block[];
  attachments: Attachment[];
  context: MessageContext;
  delivery: "job" | "steer" | null;
  author: Author | null;
  createdAt: number;
}

/** Ordered by what their messages may call, most first. */
export const writers = ["person", "relay", "agent-for-member", "agent"] as const;
/**
 * The writer of a text: a person, or an agent and the person it acts for. Skills that change the
 * repository check who wrote the message that calls them (decisions, "Skills and people").
 */
export type Writer = (typeof writers)[number];

/** A text with its author, and with its writer if that does not follow from the author. */
export type WrittenText = Pick<MessageBody, "content" | "context"> & { author: Author | null };

/** The writer of what an actor writes. */
export function getWriter(by: Actor): Writer {
  switch (by.type) {
    case "member":
      return "person";
    case "relay":
    // An owner or admin wrote its prompt, but nobody asked for this message.
    case "trigger":
      return "relay";
    case "lead":
    case "client-agent":
      return "agent-for-member";
    case "session-agent":
    case "cron-run":
      // A run of a cron that someone else wrote acts for the cron's creator, but what it writes is
      // not the creator's wish.
      return findOwner(by) === null ? "agent" : "agent-for-member";
    case "service":
      return "agent";
  }
}

/**
 * The writer of a text, derived from its author only. An agent's author contains no user, so the
 * agent counts as acting for nobody.
 */
export function getWriterByAuthor(author: Author | null): Writer {
  switch (author?.kind) {
    case "member":
      return "person";
    case "relay":
    case "trigger":
      return "relay";
    default:
      return "agent";
  }
}

export function getWriterOfText({ context, author }: Pick<WrittenText, "context" | "author">): Writer {
  return context.writer ?? getWriterByAuthor(author);
}

/** The one of two writers whose messages may call less. */
export function getLesserWriter(one: Writer, other: Writer): Writer {
  return writers.indexOf(one) < writers.indexOf(other) ? other : one;
}

/** The text with its writer. The writer is stored only if it does not follow from the author. */
export function withWriter<Body extends Pick<MessageBody, "context">>(
  body: Body,
  writer: Writer,
  author: Author,
): Body {
  const { writer: _, ...context } = body.context;
  return { ...body, context: writer === getWriterByAuthor(author) ? context : { ...context, writer } };
}
