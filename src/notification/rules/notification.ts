// A notice: what people are told of an event on their devices. It has the id of the event.
import { noticeLifetimeMs } from "../../rules/limits.ts";

export const noticeKinds = ["job_awaiting_response", "job_failed", "pr_checks_failed", "cron_run_failed"] as const;
export type NoticeKind = (typeof noticeKinds)[number];

export interface Notice {
  id: string;
  kind: NoticeKind;
  workspaceId: string;
  projectId: string | null;
  /** Null for a cron's. */
  sessionId: string | null;
  /** The turn that ended; null for other events. */
  turnId: string | null;
  /** The cron and its run; null for a session's. */
  run: { cronId: string; runId: string } | null;
  /** The title of the session, or the name of the cron. */
  title: string;
  /** Who is told; null for every member of the workspace. */
  userId: string | null;
  /** When it happened, in milliseconds since the epoch. */
  at: number;
}

/** True for a notice that is too old to be told. */
export function isOver({ at }: Pick<Notice, "at">, now: number): boolean {
  return now >= at + noticeLifetimeMs;
}
