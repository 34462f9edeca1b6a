// The live turn behind a call from a sandbox: the pass that the call shows, as long as the turn may still act.
import { sessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { isTurnPass, type Pass, readPass } from "./token.ts";

/** Reads the pass of a call; says why the call is turned away when there is none, or its turn is over. */
export async function liveTurn(request: Request, env: Env): Promise<(Pass & { turnId: string }) | Response> {
  const pass = await readPass(env.SIGNING_KEY, request.headers, Date.now());
  if (!isTurnPass(pass)) return new Response("no valid pass", { status: 401 });
  const { sessionId, turnId, generation } = pass;
  const isLive = await sessionObject(env, sessionId).isTurnLive({ turnId, generation });
  return isLive ? pass : new Response("this turn is over", { status: 403 });
}
