// The scopes of an agent that a person connected, and the actions that each allows. Any other
// action is refused.
import type { Action } from "./permission-table.ts";

export const scopes = ["read", "work"] as const;
export type Scope = (typeof scopes)[number];

/** The actions that the tools of MCP need. */
const scopeOfAction: Partial<Record<Action, Scope>> = {
  "models.read": "read",
  "project.list": "read",
  "session.search": "read",
  "session.read": "read",
  "files.read": "read",
  "artifact.read": "read",
  "session.create": "work",
  "session.send": "work",
  "turn.stop": "work",
  "share-link.create": "work",
};

/** The scope that an action needs; null for an action that no connected agent performs. */
export function findScope(action: Action): Scope | null {
  return scopeOfAction[action] ?? null;
}
