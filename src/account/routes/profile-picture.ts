// Pictures at `/pictures/{id}`: logos and pictures of users. Anybody with the URL can read them.
import type { Env } from "../../env.ts";
import { respondRefusal } from "../../http/answer.ts";
import { refuse } from "../../rules/refusal.ts";
import { getPicture } from "../../storage/pictures.ts";

/** Answers `GET /pictures/{id}`. */
export async function sendPicture(env: Pick<Env, "STORE">, id: string): Promise<Response> {
  const picture = await getPicture(env.STORE, id);
  if (!picture) return respondRefusal(refuse("NOT_FOUND", "There is no such picture."));
  const headers = new Headers({
    "content-length": String(picture.size),
    // Whatever else is in it, it is an image.
    "content-security-policy": "default-src 'none'; sandbox",
  });
  picture.writeHttpMetadata(headers);
  return new Response(picture.body, { headers });
}
