// The author of a message on the wire: a member with name and picture, or the kind of sender that is none.
import * as z from "zod";
import type { Author } from "../rules/session/session.ts";

const memberAuthor = z.object({
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  imageUrl: z.string().nullable(),
});

const otherAuthor = z.object({
  kind: z.enum(["cron", "session", "relay"]),
  cronId: z.string().optional(),
  runId: z.string().optional(),
  sessionId: z.string().optional(),
});

export const authorSchema = z.union([memberAuthor, otherAuthor]);

export function authorOnWire(author: Author): z.infer<typeof authorSchema> {
  if (author.kind !== "member") return author;
  const { kind: _, ...member } = author;
  return member;
}
