// The schemas of an endpoint's request and response.
import * as z from "zod";
import { paginationSchema } from "../../lib/wire-page.ts";
import type { Endpoint } from "../endpoint.ts";

const wireAnswers = new WeakMap<Endpoint, z.ZodType>();

const pagedMeta = z.object({ pagination: paginationSchema }).describe("What is to be known about the list.");

/** The schemas of an endpoint's query and body. */
export function requestSchemasOf({ query, body }: Endpoint): z.ZodType[] {
  // A body of bytes has media types instead of a schema.
  return [query, body?.mediaTypes ? undefined : body?.schema, body?.form?.schema].filter(
    (schema) => schema !== undefined,
  );
}

/** The schema of an endpoint's response, with its envelope; null for a response without a body. */
export function answerOf(endpoint: Endpoint): z.ZodType | null {
  const { data, isBare, isPaged, meta, mediaType } = endpoint.answers;
  if (!data) return null;
  if (isBare || mediaType) return data;
  const known = wireAnswers.get(endpoint);
  if (known) return known;
  const told = isPaged ? pagedMeta : meta;
  const envelope = z.object({ data, ...(told && { meta: told }) });
  wireAnswers.set(endpoint, envelope);
  return envelope;
}
