// Stores a long tool output that a sandbox uploads during its turn.

import { bytesOf, checked, readOn, refusalBehind } from "../bytes/byte-stream.ts";
import type { Env } from "../env.ts";
import { announcedBytes } from "../http/body.ts";
import { fullToolOutputBytes } from "../rules/limits.ts";
import { refusals, refuse } from "../rules/refusal.ts";
import { liveTurn } from "../sandbox/check-sandbox-token.ts";
import { isBlockPlace, putOutput } from "../storage/outputs.ts";

/** Answers `PUT /internal/outputs/<place>`. `place` is the place of the tool's block in the turn. */
export async function storeOutput(request: Request, env: Env, place: string): Promise<Response> {
  const turn = await liveTurn(request, env);
  if (turn instanceof Response) return turn;
  if (!isBlockPlace(place) || !request.body) return new Response("not an output at a block's place", { status: 400 });
  const bytes = checked(bytesOf(request.body), (passed) =>
    passed > fullToolOutputBytes ? refuse("PAYLOAD_TOO_LARGE", "the output is too long") : null,
  );
  const mostBytes = Math.min(announcedBytes(request), fullToolOutputBytes);
  const id = { owner: turn.owner, turnId: turn.turnId, place };
  const refusal = await putOutput(env, id, { bytes, mostBytes }).catch((error: unknown) => {
    const found = refusalBehind(error);
    if (!found) throw error;
    return found;
  });
  if (refusal === null) return new Response(null, { status: 204 });
  await readOn(request.body, fullToolOutputBytes);
  return new Response(refusal.message, { status: refusals[refusal.code].status });
}
