// Looks up who asks a trigger for something: the member who connected the account, and what the
// account may do in the repository.

import type { CodeHost } from "../code-host/code-host.ts";
import { findOrThrow } from "../code-host/temporary-failure.ts";
import type { Env } from "../env.ts";
import { createSharedRead } from "../lib/shared-read.ts";
import { findMemberOfAccount } from "../workspace/queries/members.ts";
import { type Asker, findAsker, isAccessNeeded, type Sender } from "./rules/asker.ts";
import { membersOnly, type Trigger } from "./rules/trigger.ts";

interface Place {
  workspaceId: string;
  host: CodeHost;
  repository: string;
  /** The login that the service writes with; null if a webhook of it is never read. */
  ownLogin?: string | null;
}

/** Finds who asks; null for an account that may not. Throws like `readAsker`. */
export type AskerReader = (who: Trigger["who"]) => Promise<Asker | null>;

/** Creates the reader of an account. All triggers share its reads. */
export function createAskerReader(
  env: Pick<Env, "DB">,
  { workspaceId, host, repository, ownLogin = null }: Place,
  sender: Sender,
): AskerReader {
  const findMember = createSharedRead(async () =>
    sender.isBot ? null : await findMemberOfAccount(env.DB, workspaceId, sender.hostUserId),
  );
  const readAccess = createSharedRead(() => findOrThrow(host.readAccess(repository, sender)));
  return async (who) => {
    const facts = { sender, ownLogin, userId: await findMember() };
    if (!isAccessNeeded(facts, who)) return findAsker({ ...facts, mayPush: false }, who);
    const access = await readAccess();
    return access === null ? null : findAsker({ ...facts, mayPush: access === "push" }, who);
  };
}

/**
 * Finds the member who asks; null for an account that may not. Throws if the code host has to be
 * asked again.
 */
export function readAsker(env: Pick<Env, "DB">, place: Place, sender: Sender): Promise<Asker | null> {
  return createAskerReader(env, place, sender)(membersOnly);
}
