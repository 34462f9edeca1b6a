// Sign-ins at the model providers, on the wire.
import * as z from "zod";
import { exampleTimes, formatTime, timestamp } from "../../lib/wire.ts";

interface StartedAttempt {
  loginToken: string;
  expiresAt: number;
}

export type StartedSignIn =
  | (StartedAttempt & { url: string })
  | (StartedAttempt & { userCode: string; verificationUrl: string; intervalSeconds: number });

const exampleToken = "svc_login_3kJ9vT0bYcR5mW8pL1nZx7Qa2sD4fG6hJ8kL0qW";

const startedFields = {
  loginToken: z.string().describe("Finishes this sign-in."),
  expiresAt: timestamp.describe("The time until which it can be finished."),
};

const browserSignInSchema = z
  .object({ url: z.string().describe("The page to open in a browser."), ...startedFields })
  .meta({
    id: "BrowserSignIn",
    description: "A sign-in in the browser. The person brings a code back from it.",
    examples: [
      { url: "https://provider.example/oauth/authorize", loginToken: exampleToken, expiresAt: exampleTimes.started },
    ],
  });

export const deviceSignInSchema = z
  .object({
    userCode: z.string().describe("What the person types at `verificationUrl`."),
    verificationUrl: z.string().describe("The page to open in a browser."),
    intervalSeconds: z.number().describe("The seconds to wait before the next call."),
    ...startedFields,
  })
  .meta({
    id: "DeviceSignIn",
    description: "A sign-in by a code that the person types in a browser.",
    examples: [
      {
        userCode: "WXYZ-2345",
        verificationUrl: "https://provider.example/device",
        intervalSeconds: 5,
        loginToken: exampleToken,
        expiresAt: exampleTimes.started,
      },
    ],
  });

export const startedSignInSchema = z.union([browserSignInSchema, deviceSignInSchema]).meta({
  id: "StartedSignIn",
  description: "A sign-in that was started.",
});

export const finishBodySchema = z
  .strictObject({
    loginToken: z.string().describe("The `loginToken` of the start."),
    code: z.string().optional().describe("Of a browser: the code, `code#state`, or the address with them."),
  })
  .meta({ examples: [{ loginToken: exampleToken, code: "9f3a0c7e1b#Zk3xQ8" }] });

export const signInAnswerSchema = z
  .object({
    authenticated: z.boolean().describe("True when the login is connected."),
    restart: z.literal(true).optional().describe("The sign-in was denied, or is over. Begin a new one."),
    intervalSeconds: z.number().optional().describe("The seconds to wait before the next call."),
  })
  .meta({ id: "SignInAnswer", description: "The outcome of a sign-in.", examples: [{ authenticated: true }] });

export function toWireSignIn(started: StartedSignIn): z.infer<typeof startedSignInSchema> {
  return { ...started, expiresAt: formatTime(started.expiresAt) };
}

/** True for the response to a sign-in that is complete. */
export const isConnected = (data: Record<string, unknown>) => data.authenticated === true;
