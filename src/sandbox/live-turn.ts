// The live turn behind a call from a sandbox: the token that the call shows, as long as the turn may still act.
import { turnOwnerObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { isTurnToken, readToken, type TurnToken } from "./token.ts";

/** Reads the token of a call; says why the call is turned away when there is none, or its turn is over. */
export async function liveTurn(request: Request, env: Env): Promise<TurnToken | Response> {
  const token = await readToken(env.SIGNING_KEY, request.headers, Date.now());
  if (!isTurnToken(token)) return new Response("no valid token", { status: 401 });
  const { owner, turnId, generation } = token;
  const isLive = await turnOwnerObject(env, owner).isTurnLive({ turnId, generation });
  return isLive ? token : new Response("this turn is over", { status: 403 });
}
