// Who may use the forge: whoever gives its token, to git as the password of HTTP Basic authentication under any user name, to the rest as a
// bearer credential.
import { timingSafeEqual } from "node:crypto";

/** Whether an `Authorization` header carries the token. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const [, scheme = "", credential = ""] = /^(basic|bearer)\s+(\S+)$/i.exec(authorization ?? "") ?? [];
  switch (scheme.toLowerCase()) {
    case "basic": {
      const pair = Buffer.from(credential, "base64").toString("utf8");
      return isSame(pair.slice(pair.indexOf(":") + 1), token);
    }
    case "bearer":
      return isSame(credential, token);
    default:
      return false;
  }
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
