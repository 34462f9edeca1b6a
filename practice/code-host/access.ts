// Access to the stand-in code host by credential. Its own token grants everything, an app's JWT the
// app's endpoints, an installation token its repositories, and a user's token the user's profile.
// Git sends it as the password of Basic authentication, other clients as a bearer token.
import { timingSafeEqual } from "node:crypto";
import type { CodeHostApp } from "./app.ts";
import type { Oauth } from "./oauth.ts";
import type { CodeHostPerson } from "./people.ts";

export type Access =
  | { kind: "everything" }
  | { kind: "app"; app: CodeHostApp }
  | { kind: "repositories"; opens(name: string): boolean }
  | { kind: "person"; person: CodeHostPerson };

/** The credentials that the code host accepts. */
export interface Known {
  /** The token that grants everything. */
  token: string;
  app: CodeHostApp | null;
  oauth: Oauth | null;
}

/** Returns what an `Authorization` header grants; null if it grants nothing. */
export function findAccess(authorization: string | undefined, { token, app, oauth }: Known): Access | null {
  const credential = parseCredential(authorization);
  if (credential === null) return null;
  if (isSame(credential, token)) return { kind: "everything" };
  const opens = app?.openedBy(credential);
  if (opens) return { kind: "repositories", opens };
  const person = oauth?.personBy(credential);
  if (person) return { kind: "person", person };
  return app?.isProof(credential) ? { kind: "app", app } : null;
}

/** True if the access includes a repository. */
export function isOpen(access: Access, repository: string): boolean {
  switch (access.kind) {
    case "everything":
      return true;
    case "app":
    case "person":
      return false;
    case "repositories":
      return access.opens(repository);
  }
}

function parseCredential(authorization: string | undefined): string | null {
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
