// The author of a message on the wire: a member with name and picture, or the kind of another
// sender.

import * as z from "zod";
import { type Author, triggerSources } from "../../access/rules/actor.ts";
import { exampleAuthor } from "../../lib/wire.ts";
import { relaySenderCharacters } from "../../rules/limits.ts";

const memberAuthor = z
  .object({
    userId: z.string().describe("The member's user id."),
    name: z.string().describe("The member's name."),
    email: z.string().describe("The member's email address."),
    imageUrl: z.string().nullable().describe("The member's picture, where they have one."),
  })
  .meta({ id: "MemberAuthor", description: "A member of the workspace.", examples: [exampleAuthor] });

const cronAuthor = z
  .object({
    kind: z.literal("cron"),
    cronId: z.string().describe("The cron's id."),
    runId: z.string().describe("The id of the cron's run."),
  })
  .meta({ id: "CronAuthor", description: "A run of a cron." });

const sessionAuthor = z
  .object({
    kind: z.literal("session"),
    sessionId: z.string().describe("The session's id."),
  })
  .meta({ id: "SessionAuthor", description: "The agent of another session." });

const ofSender = z.string().trim().min(1).max(relaySenderCharacters);

/** Who wrote to a relay, in a request. */
export const relaySenderSchema = z
  .strictObject({ name: ofSender.describe("Their name."), id: ofSender.describe("Their id.") })
  .describe("Who wrote to the relay. It gives no right.")
  .meta({ id: "Sender" });

const shownSender = z
  .object({ name: z.string().describe("Their name."), id: z.string().describe("Their id.") })
  .describe("Who wrote to it.");

const relayAuthor = z
  .object({ kind: z.literal("relay"), sender: shownSender.optional() })
  .meta({ id: "RelayAuthor", description: "A chat tool's relay." });

const triggerAuthor = z
  .object({
    kind: z.literal("trigger"),
    triggerId: z.string().describe("The trigger's id."),
    name: z.string().describe("Its name at that time."),
    source: z.enum(triggerSources).describe("Where its cause happened."),
    url: z.string().nullable().describe("The page of the cause."),
    login: z.string().nullable().describe("The member's login; null in `filedBy`."),
  })
  .meta({ id: "TriggerAuthor", description: "A trigger of the project." });

const serviceAuthor = z
  .object({ kind: z.literal("service") })
  .meta({ id: "ServiceAuthor", description: "The service itself." });

/** An author who is not a member. */
export const otherAuthorSchema = z.discriminatedUnion("kind", [cronAuthor, sessionAuthor, relayAuthor, triggerAuthor]);

export const authorSchema = z
  .union([memberAuthor, cronAuthor, sessionAuthor, relayAuthor, triggerAuthor, serviceAuthor])
  .meta({
    id: "Author",
    description: "Who wrote a message or a comment.",
  });

export function toWireAuthor(author: Author): z.infer<typeof authorSchema> {
  if (author.kind !== "member") return author;
  const { kind: _, ...member } = author;
  return member;
}
