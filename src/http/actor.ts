// The actor of a call: the caller as rules about single messages and comments see them.
import type { Caller } from "../rules/caller.ts";
import type { Role } from "../rules/membership.ts";
import type { Actor } from "../rules/queued-message.ts";

export function actorOf({ caller, found }: { caller: Caller; found: { role: Role | null } }): Actor {
  return { userId: caller.user?.id ?? null, author: caller.author, role: found.role };
}
