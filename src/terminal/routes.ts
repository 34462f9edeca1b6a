// The terminal of a session's sandbox, over a WebSocket.
import * as z from "zod";
import { endpoint } from "../http/endpoint.ts";
import { isFromOwnPage } from "../key/same-origin.ts";
import { terminalSizeMax } from "../rules/limits.ts";
import { isRefusal, refuse } from "../rules/refusal.ts";
import { startTerminal } from "./start.ts";

const cells = (of: string, unsent: string) =>
  z
    .string()
    .regex(/^\d{1,3}$/, "must be a whole number")
    .default(unsent)
    .transform(Number)
    .refine((count) => count >= 1 && count <= terminalSizeMax, `must be from 1 to ${terminalSizeMax}`)
    .describe(`${of} of the window.`);

const open = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/chat-sessions/{sessionId}/preview/terminal",
  operation: "openTerminal",
  summary:
    "Open a shell in the sandbox, over a WebSocket from a page of this service. Wakes the sandbox. Its processes end with the socket.",
  tag: "Files and commits",
  access: "terminal.open",
  noun: "session",
  query: z.strictObject({ cols: cells("The columns", "80"), rows: cells("The rows", "24") }),
  response: { status: 101 },
  refusals: ["BAD_REQUEST"],
  audit: { isChange: ({ isOpened }) => isOpened === true },
  async handle({ env, request, caller, found, query }) {
    if (!isFromOwnPage(request, env.PUBLIC_URL) || !caller.user)
      return refuse("FORBIDDEN", "Only a page of this service may open a terminal.");
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket")
      return refuse("BAD_REQUEST", "A terminal is a WebSocket. Open this address as one.");
    const holder = { userId: caller.user.id, keyId: caller.keyId, sessionId: found.session.id };
    const opened = await startTerminal(env, found.project.id, { ...holder, size: query });
    return isRefusal(opened) ? opened : { status: 101, data: { isOpened: opened.isOpened }, socket: opened.response };
  },
});

export const terminalRoutes = [open];
