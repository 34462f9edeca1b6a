// Sign-in from a terminal, on the wire. It has the fields of the sign-ins at model providers.
import * as z from "zod";
import { exampleTimes, timestamp } from "../../lib/wire.ts";
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
  z.string().max(10_000).transform(toPrintableLine).pipe(z.string().min(1).max(most)).describe(what);

export const deviceStartSchema = z
  .strictObject({
    client: shownText(clientNameCharactersMax, "What the program is called."),
    name: shownText(keyNameCharactersMax, "What the key is called in lists, such as the name of the machine."),
  })
  .meta({ examples: [{ client: "sy 5.0.0", name: "sy on laptop" }] });

export const deviceSignInSchema = z
  .object({
    loginToken: z.string().describe("Completes this sign-in, and nothing else."),
    userCode: z.string().describe("What the person types at `verificationUrl`."),
    verificationUrl: z.string().describe("The page that the person opens in a browser."),
    intervalSeconds: z.number().describe("How long to wait between two questions whether it is approved."),
    expiresAt: timestamp.describe("Until when it can be completed."),
  })
  .meta({
    id: "TerminalSignIn",
    description: "A sign-in from a terminal that was started.",
    examples: [
      {
        loginToken: exampleToken,
        userCode: "BCDF-GHJK",
        verificationUrl: "https://switchyard.example/device",
        intervalSeconds: 5,
        expiresAt: exampleTimes.begun,
      },
    ],
  });

export const deviceCompletionSchema = z
  .strictObject({ loginToken: z.string().max(200).describe("What the begin answered.") })
  .meta({ examples: [{ loginToken: exampleToken }] });

export const deviceAnswerSchema = z
  .object({
    authenticated: z.boolean().describe("True when it was approved."),
    restart: z.literal(true).optional().describe("The sign-in was denied, or is over. Begin a new one."),
    intervalSeconds: z.number().optional().describe("How long to wait before the next question."),
    key: z.string().optional().describe("The API key. Only one answer has it."),
  })
  .meta({
    id: "TerminalSignInAnswer",
    description: "What became of a sign-in from a terminal.",
    examples: [{ authenticated: false, intervalSeconds: 5 }],
  });
