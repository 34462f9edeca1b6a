// The writer of a text: a person, or an agent on whose behalf. Skills that change the repository ask who wrote the message that calls them
// (decisions, "Skills and people").
import { type Actor, type Author, ownerOf } from "../../access/rules/actor.ts";
import type { MessageBody } from "./message.ts";

/** In falling order of what their messages may call. */
export const writers = ["person", "relay", "agent-for-member", "agent"] as const;
export type Writer = (typeof writers)[number];

/** A text with its author, and with its writer if that does not follow from the author. */
export type WrittenText = Pick<MessageBody, "content" | "context"> & { author: Author | null };

/** The writer of what an actor writes. */
export function writerOf(by: Actor): Writer {
  switch (by.type) {
    case "member":
      return "person";
    case "relay":
      return "relay";
    case "lead":
      return "agent-for-member";
    case "session-agent":
    case "cron-run":
      // A run whose cron another wrote acts for its creator, but what it writes is not the creator's wish.
      return ownerOf(by) === null ? "agent" : "agent-for-member";
    case "service":
      return "agent";
  }
}

/** The writer of a text, from its author only. The author of an agent does not contain a user, so the agent acts for nobody. */
export function writerByAuthor(author: Author | null): Writer {
  switch (author?.kind) {
    case "member":
      return "person";
    case "relay":
      return "relay";
    default:
      return "agent";
  }
}

export function writerOfText({ context, author }: Pick<WrittenText, "context" | "author">): Writer {
  return context.writer ?? writerByAuthor(author);
}

/** The writer of two who may call less. */
export function lesserWriter(one: Writer, other: Writer): Writer {
  return writers.indexOf(one) < writers.indexOf(other) ? other : one;
}

/** The text with its writer, which is stored only if it does not follow from the author. */
export function withWriter<Body extends Pick<MessageBody, "context">>(
  body: Body,
  writer: Writer,
  author: Author,
): Body {
  const { writer: _, ...context } = body.context;
  return { ...body, context: writer === writerByAuthor(author) ? context : { ...context, writer } };
}
