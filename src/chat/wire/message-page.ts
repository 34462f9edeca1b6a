// A page of a conversation on the wire: its newest messages, or those before a place in it.
import * as z from "zod";
import { sizeUpTo } from "../../lib/pagination.ts";
import { uuid } from "../../lib/wire.ts";
import { messagePageParts } from "../../rules/limits.ts";

/** What a reader wants of a conversation. */
export interface MessagePageRequest {
  before: { seq: number; block: number | null } | null;
  parts: number;
  turnId: string | null;
  /** The most characters of a tool's output; null for all that its block holds. */
  outputCharacters: number | null;
}

export const messagePageQuery = z.strictObject({
  before: z
    .string()
    .regex(/^\d{1,15}(\.\d{1,9})?$/, "must be the `before` of an earlier page")
    .optional()
    .describe("The `before` of the next page; the newest page by default."),
  limit: sizeUpTo(messagePageParts)
    .optional()
    .describe(
      `The number of user messages and blocks on the page, at most ${messagePageParts}. A greater value counts as that.`,
    ),
  job: uuid.optional().describe("Only the messages of this job."),
  outputs: z
    .string()
    .regex(/^\d{1,7}$/, "must be a whole number")
    .meta({ type: "integer", minimum: 0 })
    .transform(Number)
    .optional()
    .describe("How many characters of each tool's `output` are sent; all by default."),
});

/** The wanted page; null for a request without parameters, which wants the whole conversation. */
export function toMessagePageRequest(query: z.infer<typeof messagePageQuery>): MessagePageRequest | null {
  const { before, limit = messagePageParts, job = null, outputs = null } = query;
  if (Object.values(query).every((value) => value === undefined)) return null;
  const [seq = "", block] = before?.split(".") ?? [];
  return {
    before: before === undefined ? null : { seq: Number(seq), block: block === undefined ? null : Number(block) },
    parts: limit,
    turnId: job,
    outputCharacters: outputs,
  };
}

/** The fields that a page has beside its messages. */
export const messagePageFields = {
  hasMore: z.boolean().optional().describe("Of a page: true when there are earlier messages."),
  before: z.string().nullable().optional().describe("Of a page: `before` of the page before it; null for the first."),
  lastEventId: z
    .string()
    .optional()
    .describe("Of a page: the newest event that it includes. A stream continues there with `Last-Event-ID`."),
};
