// Whose name a commit by hand bears (Part 1, "Files and commits").

import { codeHostIdentityOf } from "../../account/queries.ts";
import type { Env } from "../../env.ts";

export interface CommitAuthor {
  name: string;
  email: string;
}

const appIdentity: CommitAuthor = { name: "Switchyard", email: "app@switchyard.invalid" };

/** The member's account at the code host; the service itself for a member without one, or a caller that acts for none. */
export async function commitAuthorOf(env: Env, userId: string | null): Promise<CommitAuthor> {
  const identity = userId === null ? null : await codeHostIdentityOf(env.DB, userId);
  return identity === null ? appIdentity : { name: identity.name, email: identity.email };
}
