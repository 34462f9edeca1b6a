// The names of live events, and what each of them carries.
import type { Schemas } from "./generated/api.ts";

/** The data of an event by its name, as an event. One without an id is not repeated. */
export type Event<Events> = {
  [Name in keyof Events]: { id: string | null; type: Name; data: Events[Name] };
}[keyof Events];

/** Events that say what was missed: read again. */
interface Resets {
  reset: Record<string, unknown>;
}

/** The events of a session. */
export type SessionEvents = Schemas["SessionEvents"] & Resets;
/** The events of one turn. */
export type TurnEvents = Schemas["TurnEvents"] & Resets;
/** The events of a workspace. */
export type WorkspaceEvents = Schemas["WorkspaceEvents"];
