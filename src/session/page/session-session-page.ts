// The page at a session's address, for a browser that opens it.
import { sessionObject } from "../../../durable-objects/address.ts";
import type { ShownConversation } from "../../chat/wire/message.ts";
import type { Env } from "../../env.ts";
import { authenticate } from "../../http/authenticate.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { sessionOnWire } from "../wire.ts";
import { noSessionHere, sessionNotNow, sessionPage, signInForSession } from "./session.tsx";

/** Answers a browser at `/api/projects/{projectId}/chat-sessions/{sessionId}`. */
export async function showSession(
  request: Request,
  env: Env,
  params: { projectId: string; sessionId: string },
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const known = await authenticate(env, request, { action: "session.read", noun: "session", params }, Date.now());
  if (isRefusal(known)) {
    switch (known.code) {
      case "UNAUTHORIZED":
        return signInForSession(pathname);
      case "NOT_FOUND":
      case "FORBIDDEN":
        return noSessionHere();
      default:
        return sessionNotNow(known.message, pathname);
    }
  }
  const session = sessionObject(env, known.found.session.id);
  const [state, conversation] = await Promise.all([session.read(), session.newestMessages()]);
  if (isRefusal(state)) return state.code === "NOT_FOUND" ? noSessionHere() : sessionNotNow(state.message, pathname);
  return sessionPage({
    session: sessionOnWire(state, env.PUBLIC_URL),
    conversation: JSON.parse(conversation) as ShownConversation,
  });
}
