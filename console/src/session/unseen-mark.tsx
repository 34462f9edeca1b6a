// The dot of a session whose reason to look at it the person has not seen.
import type { Session } from "./queries.ts";
import { isUnseen } from "./seen.ts";

export function UnseenMark({ session }: { session: Session }) {
  if (!isUnseen(session)) return null;
  return (
    <span className="shrink-0 text-accent text-meta">
      <span aria-hidden="true">●</span>
      <span className="sr-only">new</span>
    </span>
  );
}
