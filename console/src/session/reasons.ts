// Why a session waits for a person, in words, and the one mark that says how it is.
import { type Mark, markOf } from "../ui/state-mark.tsx";
import type { Session } from "./queries.ts";

type Reason = NonNullable<Session["needsYouReason"]>;

const marksOfReasons: Record<Reason, Mark> = {
  awaiting_response: "asks",
  job_failed: "failed",
  checks_failed: "checks",
  queue_paused: "paused",
  behind: "behind",
};

/** The mark of a session: why it needs somebody, else how its newest turn is. */
export function markSession({ needsYouReason, latestChatJob, status }: Session): Mark {
  if (needsYouReason !== null) return marksOfReasons[needsYouReason] ?? "asks";
  if (status === "backlog") return "backlog";
  return markOf(latestChatJob);
}

/** What a person has to know of a session that needs somebody; null for one that does not. */
export function describeReason({ needsYouReason, targetBranch, prNumber, queue }: Session): string | null {
  const waiting = queue.count === 1 ? "1 message waits" : `${queue.count} messages wait`;
  switch (needsYouReason) {
    case null:
      return null;
    case "awaiting_response":
      return "The agent asks you something";
    case "job_failed":
      return "The last turn failed";
    case "checks_failed":
      return prNumber === null ? "Checks failed" : `Checks of #${prNumber} failed`;
    case "queue_paused":
      return queue.count === 0 ? "Up next is stopped" : `Up next is stopped, ${waiting}`;
    case "behind":
      return `Behind ${targetBranch}`;
    default:
      return "Needs a look";
  }
}
