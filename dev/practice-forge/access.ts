// Who may use the forge, and for what: whoever gives its token, all of it; an app's proof, the app's own affairs; a token of the app, the
// repositories that it was given for; a person's token, who they are. Git brings one as the password of HTTP Basic authentication under any user name, the rest as a bearer credential.
import { timingSafeEqual } from "node:crypto";
import type { ForgeApp } from "./app.ts";
import type { Oauth } from "./oauth.ts";
import type { ForgePerson } from "./people.ts";

export type Access =
  | { kind: "everything" }
  | { kind: "app"; app: ForgeApp }
  | { kind: "repositories"; names: readonly string[] }
  | { kind: "person"; person: ForgePerson };

/** Whose credentials the forge knows. */
export interface Known {
  /** What opens everything. */
  token: string;
  app: ForgeApp | null;
  oauth: Oauth | null;
}

/** Tells what an `Authorization` header opens; null when it opens nothing. */
export function accessBy(authorization: string | undefined, { token, app, oauth }: Known): Access | null {
  const credential = credentialIn(authorization);
  if (credential === null) return null;
  if (isSame(credential, token)) return { kind: "everything" };
  const names = app?.repositoriesOf(credential);
  if (names) return { kind: "repositories", names };
  const person = oauth?.personBy(credential);
  if (person) return { kind: "person", person };
  return app?.isProof(credential) ? { kind: "app", app } : null;
}

/** Whether a repository is among what somebody may see. */
export function isOpen(access: Access, repository: string): boolean {
  switch (access.kind) {
    case "everything":
      return true;
    case "app":
    case "person":
      return false;
    case "repositories":
      return access.names.includes(repository);
  }
}

function credentialIn(authorization: string | undefined): string | null {
  const [, scheme = "", credential = ""] = /^(basic|bearer)\s+(\S+)$/i.exec(authorization ?? "") ?? [];
  switch (scheme.toLowerCase()) {
    case "basic": {
      const pair = Buffer.from(credential, "base64").toString("utf8");
      return pair.slice(pair.indexOf(":") + 1);
    }
    case "bearer":
      return credential;
    default:
      return null;
  }
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
