// Values in their wire format.
import * as z from "zod";
import { filterValuesMax } from "../rules/limits.ts";

/** A UUID. It is stored in lower case, but some clients write upper case. */
export const uuid = z.uuid().toLowerCase();
export const timestamp = z.iso.datetime();

/** Formats milliseconds since the epoch as ISO 8601 in UTC. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function formatTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : formatTime(ms);
}

/**
 * A text of at most so many characters. Half of a surrogate pair is refused: stored as UTF-8, it
 * would become other characters.
 */
export const wellFormedText = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    .refine((text) => text.isWellFormed(), "must not hold half of a surrogate pair");

/** A form field whose text is JSON. It takes the description of its value. */
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

/**
 * The values used in examples, so that all examples describe the same session of the same project.
 */
export const exampleIds = {
  workspace: "ws_7KpQ2mXb4nTz",
  user: "usr_3HvR8cWd5yLs",
  project: "019a1c5e-4b7a-7c21-9d0e-5f3a8b6c1d20",
  session: "019a1c60-0d3f-7e44-8a1b-2c9d7e5f4a31",
  job: "019a1c60-0d52-7a06-b3c8-6e1f0a9d8c42",
  message: "019a1c60-0d53-7b19-a4d7-8f2c1b3e5d53",
  answer: "019a1c60-2f81-7d2c-95e6-0a7b4c8d9e64",
  queuedMessage: "019a1c61-7e90-7f3d-8b5a-1d6c3e2f4b75",
  artifact: "019a1c61-a4b2-7048-9c3d-7e8f5a1b6c86",
  attachment: "019a1c60-0c11-7159-a2e4-3b5d6f7a8c97",
  comment: "019a1c62-15d3-726a-b1f5-4c8e9d0a2b18",
  prototype: "019a1c5f-88e4-737b-84c6-9f1a2b3c4d29",
  invitation: "019a1c5d-9a02-759d-a3e8-1f5c6d7e8a4b",
  login: "019a1c5d-7b18-7a2e-86c4-2d9f3e1b5a60",
  skill: "019a1c5d-5c3e-7d1b-a0f4-6b8c2d4e7f51",
  cron: "019a1c5d-3e4f-7b8c-9a0d-1e2f3a4b5c60",
  run: "019a1c60-5a6b-7c8d-8e9f-0a1b2c3d4e5f",
  webhook: "019a1c5d-4d2e-7b6f-8c1a-3e5d7f9b1c64",
  event: "019a1c60-5b7c-7d8e-9f0a-1b2c3d4e5f6a",
  key: "019a1c5d-61f7-748c-93d7-0e4b5c6d7f3a",
} as const;

export const exampleSessionPath = `/api/projects/${exampleIds.project}/chat-sessions/${exampleIds.session}`;
export const exampleSandboxKey = "s4kq9zt1mw7xb2ndh";

/** Times in the order in which the events happen. */
export const exampleTimes = {
  started: "2026-01-31T09:30:00.000Z",
  running: "2026-01-31T09:30:04.120Z",
  later: "2026-01-31T09:31:47.300Z",
} as const;

export const exampleAuthor = {
  userId: exampleIds.user,
  name: "Mia Member",
  email: "mia@example.com",
  imageUrl: null,
} as const;

/** A query parameter that may be repeated. Any of its values may match. */
export const listParameter = <Value extends z.ZodType<string, string>>(value: Value, what: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [...new Set([given].flat().flatMap((each) => each.split(",")))])
    .pipe(z.array(value).max(filterValuesMax, `takes at most ${filterValuesMax} values`))
    .default([])
    // A client sends a list. One text is a list of one.
    .meta({
      description: `${what}: up to ${filterValuesMax}, repeated or with commas between.`,
      anyOf: undefined,
      type: "array",
      items: itemSchema(value),
      maxItems: filterValuesMax,
    });

function itemSchema(value: z.ZodType<string, string>) {
  return { type: "string", ...(value instanceof z.ZodEnum && { enum: value.options }) };
}
