// The turn link's endpoint: a sandbox connects with the token of its turn, and the request goes to the object that owns the turn.
import { turnOwnerObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { isTurnToken, readToken } from "../sandbox/sandbox-token.ts";

/** Answers the WebSocket handshake of a turn link. */
export async function openTurnLink(request: Request, env: Env): Promise<Response> {
  if (request.headers.get("upgrade") !== "websocket") return new Response("expected a WebSocket", { status: 426 });
  const token = await readToken(env, request.headers, Date.now());
  if (!isTurnToken(token)) return new Response("no valid token", { status: 401 });
  const { turnId, generation, owner } = token;
  const headers = new Headers(request.headers);
  headers.set("x-turn-link", JSON.stringify({ turnId, generation }));
  return await turnOwnerObject(env, owner).fetch(new Request(request, { headers }));
}
