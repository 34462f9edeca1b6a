// Who is editing a message of Up next, on the wire.
import * as z from "zod";
import { exampleAuthor, exampleTimes, formatTime, timestamp } from "../../lib/wire.ts";
import type { QueuedMessage } from "../rules/queue.ts";

export const editingSchema = z
  .object({
    userId: z.string().describe("The user's id."),
    expiresAt: timestamp.describe("After this time, nobody is editing it."),
  })
  .nullable()
  .meta({
    id: "Editing",
    description: "Who is editing a message of Up next; null while nobody is.",
    examples: [{ userId: exampleAuthor.userId, expiresAt: exampleTimes.later }],
  });

/** Converts the editor of a message. */
export function toWireEditing(editing: QueuedMessage["editing"]): z.infer<typeof editingSchema> {
  return editing && { userId: editing.userId, expiresAt: formatTime(editing.until) };
}
