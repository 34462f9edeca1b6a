// The actor of a call: the caller as rules about single messages and comments see them.
import type { Caller } from "../rules/access/caller.ts";
import type { Role } from "../rules/access/membership.ts";
import type { Actor } from "../rules/chat/queued-message.ts";

export function actorOf({ caller, found }: { caller: Caller; found: { role: Role | null } }): Actor {
  return { userId: caller.user?.id ?? null, author: caller.author, role: found.role };
}
