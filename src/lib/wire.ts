// Values in their wire format.
import * as z from "zod";

export const uuid = z.uuid();
export const timestamp = z.iso.datetime();

/** Formats milliseconds since the epoch as ISO 8601 in UTC. */
export function time(ms: number): string {
  return new Date(ms).toISOString();
}

export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : time(ms);
}

/** A form field whose text is JSON. It has the description of its value. */
export function fromJson<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: "is not JSON" });
        return z.NEVER;
      }
    })
    .pipe(schema)
    .describe(`${schema.description} As JSON.`);
}
