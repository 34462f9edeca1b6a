// Up next: the messages that wait for the running turn to end.
import type { LiveSession } from "../session/live-session.ts";

export function UpNext(_: { live: LiveSession }) {
  return null;
}
