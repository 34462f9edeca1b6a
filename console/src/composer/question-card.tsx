// The question that the agent asks, above the composer.
import type { LiveSession } from "../session/live-session.ts";

export function QuestionCard(_: { live: LiveSession }) {
  return null;
}
