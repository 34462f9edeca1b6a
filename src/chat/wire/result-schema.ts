// The schema of a result in the body of a request.
import * as z from "zod";
import { readResultSchema } from "../rules/result-schema.ts";

/** It is kept as JSON, with its definitions in the places where they are used. */
export const resultSchemaField = z
  .record(z.string(), z.unknown())
  .transform((given, context) => {
    const read = readResultSchema(given);
    if ("schema" in read) return JSON.stringify(read.schema);
    const path = read.path === "" ? [] : read.path.split(".");
    context.addIssue({ code: "custom", path, message: read.message });
    return z.NEVER;
  })
  // Shorter than what it would be by itself: the API's document has little room.
  .meta({ description: "The JSON Schema of the job's `result`.", propertyNames: undefined });
