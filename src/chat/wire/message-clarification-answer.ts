// Answers to a clarification on the wire, as every message body takes them.
import * as z from "zod";

const choice = z.union([z.string(), z.int().min(0)]);

/** Options chosen of a clarification. `waiting` says where the questions are that they answer. */
export function answersSchema(waiting: string) {
  return z
    .array(
      z.strictObject({
        question: choice.describe("A question of the clarification: its exact text, or its number from 0."),
        option: choice.describe("An option of that question: its exact title, or its number from 0."),
      }),
    )
    .describe(
      `Options chosen of the clarification that waits: ${waiting}, and its \`clarification\` block has the questions. One that is none of the choices is refused, with the choices in \`details\`.`,
    );
}
