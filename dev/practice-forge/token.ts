// Who may use the forge: whoever gives its token as the password of HTTP Basic authentication, under any user name.
import { timingSafeEqual } from "node:crypto";

/** Whether an `Authorization` header carries the token. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const encoded = /^basic\s+(\S+)$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return false;
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  const given = Buffer.from(pair.slice(pair.indexOf(":") + 1));
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
