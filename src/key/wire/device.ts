// Sign-in from a terminal, on the wire. It has the fields of the sign-ins at model providers.
import * as z from "zod";
import { clientNameCharactersMax, keyNameCharactersMax } from "../../rules/limits.ts";
import { toPrintableLine } from "../../rules/text.ts";

const exampleToken = "svc_dev_3kJ9vT0bYcR5mW8pL1nZ6dF2gH4sA7eUqXoIyBtx7Qa";

/** The page on which a person approves it. */
export const devicePath = "/device";

/** The URL of that page. */
export function getDeviceUrl(publicUrl: string): string {
  return new URL(devicePath, publicUrl).href;
}

/** A text that a stranger gives, for a page that a person decides by. */
const shownText = (most: number, what: string) =>
  z
    .string()
    .min(1)
    .max(most)
    .transform(toPrintableLine)
    .refine((text) => text !== "", "must have a character that can be printed")
    .describe(what);

export const deviceStartSchema = z
  .strictObject({
    client: shownText(clientNameCharactersMax, "The program's name."),
    name: shownText(keyNameCharactersMax, "The key's name in lists."),
  })
  .meta({ examples: [{ client: "sy 5.0.0", name: "sy on laptop" }] });

export const deviceCompletionSchema = z
  .strictObject({ loginToken: z.string().max(200).describe("The `loginToken` of the start.") })
  .meta({ examples: [{ loginToken: exampleToken }] });

export const deviceAnswerSchema = z
  .object({
    authenticated: z.boolean().describe("Whether it was approved."),
    restart: z.literal(true).optional().describe("It was denied, is over, or the person has too many API keys."),
    intervalSeconds: z.number().optional().describe("The seconds to wait."),
    key: z.string().optional().describe("The API key. Only one response has it."),
  })
  .meta({
    id: "TerminalSignInAnswer",
    description: "The outcome of the sign-in.",
    examples: [{ authenticated: false, intervalSeconds: 5 }],
  });
