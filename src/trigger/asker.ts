// Looks up who asks a trigger for something: the member who connected the account, and what the
// account may do in the repository.
import { findAnswer } from "../code-host/answer.ts";
import type { CodeHost } from "../code-host/code-host.ts";
import type { Env } from "../env.ts";
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

/**
 * Finds who asks; null for an account that may not. Throws if the code host has to be asked again.
 */
export async function readAsker(
  env: Pick<Env, "DB">,
  { workspaceId, host, repository, ownLogin = null }: Place,
  sender: Sender,
  who: Trigger["who"] = membersOnly,
): Promise<Asker | null> {
  const userId = sender.isBot ? null : await findMemberOfAccount(env.DB, workspaceId, sender.hostUserId);
  const facts = { sender, ownLogin, userId };
  if (!isAccessNeeded(facts, who)) return findAsker({ ...facts, mayPush: false }, who);
  const access = await findAnswer(host.readAccess(repository, sender));
  return access === null ? null : findAsker({ ...facts, mayPush: access === "push" }, who);
}
