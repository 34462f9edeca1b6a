// What of an endpoint is described by schemas: what it takes, and what it answers as it stands on the wire.
import * as z from "zod";
import { paginationSchema } from "../../resources/page.ts";
import type { Endpoint } from "../endpoint.ts";

const wireAnswers = new WeakMap<Endpoint, z.ZodType>();

/** The schemas of what an endpoint takes. */
export function requestSchemasOf({ query, body }: Endpoint): z.ZodType[] {
  // Bytes are described by their media types.
  return [query, body?.mediaTypes ? undefined : body?.schema, body?.form?.schema].filter(
    (schema) => schema !== undefined,
  );
}

/** The schema of what an endpoint answers, in its envelope; null for an answer without a body. */
export function answerOf(endpoint: Endpoint): z.ZodType | null {
  const { data, isBare, isPaged, mediaType } = endpoint.answers;
  if (!data) return null;
  if (isBare || mediaType) return data;
  const known = wireAnswers.get(endpoint);
  if (known) return known;
  const meta = z.object({ pagination: paginationSchema }).describe("What is to be known about the list.");
  const envelope = z.object({ data, ...(isPaged ? { meta } : {}) });
  wireAnswers.set(endpoint, envelope);
  return envelope;
}
