// Serves the kept skills of a turn to its sandbox, while the turn is live.
import type { Env } from "../../env.ts";
import { liveTurn } from "../../sandbox/check-sandbox-token.ts";
import { skillBodyAt } from "../../sandbox/given-skills.ts";

/** Answers `GET /internal/skills/<address>`: the files of a skill as JSON. */
export async function sendSkill(request: Request, env: Env, address: string): Promise<Response> {
  const turn = await liveTurn(request, env);
  if (turn instanceof Response) return turn;
  const bodyKey = await skillBodyAt(env, turn.turnId, address, Date.now());
  const files = bodyKey === null ? null : await env.STORE.get(bodyKey);
  if (files === null) return new Response("there is no such skill", { status: 404 });
  return new Response(files.body, { headers: { "content-type": "application/json" } });
}
