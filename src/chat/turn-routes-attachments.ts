// Serves the attachments of a turn's owner to its sandbox, while the turn is live.
import type { Env } from "../env.ts";
import { isUuid } from "../ids.ts";
import { liveTurn } from "../sandbox/check-sandbox-token.ts";
import { getAttachment } from "../storage/attachments.ts";

/** Answers `GET /internal/attachments/<id>`. */
export async function sendAttachment(request: Request, env: Env, attachmentId: string): Promise<Response> {
  const turn = await liveTurn(request, env);
  if (turn instanceof Response) return turn;
  const file = isUuid(attachmentId) ? await getAttachment(env.STORE, turn.owner, attachmentId) : null;
  if (!file) return new Response("there is no such attachment", { status: 404 });
  const headers = new Headers();
  file.writeHttpMetadata(headers);
  return new Response(file.body, { headers });
}
