// The id of the last event that a client of an event stream has.
import * as z from "zod";

export const lastEventIdQuery = z.strictObject({
  lastEventId: z.string().optional().meta({ description: "For clients that cannot send `Last-Event-ID`." }),
});

/** Null for a client that has none. */
export function lastEventIdOf(request: Request, { lastEventId }: z.infer<typeof lastEventIdQuery>): string | null {
  return request.headers.get("last-event-id") || lastEventId || null;
}
