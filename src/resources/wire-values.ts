// Values in the form the wire gives them.
import * as z from "zod";

export const uuid = z.uuid();
export const timestamp = z.iso.datetime();

/** Milliseconds as the wire's ISO 8601 UTC text. */
export function time(ms: number): string {
  return new Date(ms).toISOString();
}

export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : time(ms);
}

/** A form's field whose text is JSON. It is described as the value is. */
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
