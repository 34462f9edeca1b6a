// The composer: where a person writes the next message.
import type { LiveSession } from "../session/live-session.ts";

export function Composer(_: { live: LiveSession }) {
  return null;
}
