// How far the deletion of a person is. It goes through everything that may name the person, in
// steps, and a second time once no request is left that was authorized before the deletion.
import { lateArrivalMs } from "./deletion.ts";

/** First what the person still does, then where they are only named. */
export const personSteps = [
  "account",
  "running turns",
  "projects",
  "workspaces",
  "sessions",
  "cron runs",
  "activity",
  "audit events",
  "message texts",
  "audit days",
] as const;
export type PersonStep = (typeof personSteps)[number];

/** A thing that could not be reached. It is tried again after the last step. */
export interface FailedPart {
  step: PersonStep;
  id: string;
}

export interface PersonProgress {
  /** When this pass started. */
  startedAt: number;
  /** Null once every step is done, except for the failed parts. */
  step: PersonStep | null;
  /** The place in the step: the last id that was handled. */
  after: string;
  /** How many things of this pass were handled. */
  handled: number;
  failed: FailedPart[];
}

/** The start of a pass. */
export function startPass(now: number): PersonProgress {
  return { startedAt: now, step: personSteps[0], after: "", handled: 0, failed: [] };
}

/** The progress after a page of a step. `last` is null if the step has no more pages. */
export function getProgressAfter(
  progress: PersonProgress,
  { last, handled, failed }: { last: string | null; handled: number; failed: readonly string[] },
): PersonProgress {
  const { step } = progress;
  if (step === null) return progress;
  const next = last === null ? (personSteps[personSteps.indexOf(step) + 1] ?? null) : step;
  return {
    ...progress,
    step: next,
    after: last ?? "",
    handled: progress.handled + handled,
    failed: [...progress.failed, ...failed.map((id) => ({ step, id }))],
  };
}

/** True once the pass has reached everything. */
export function isPassOver({ step, failed }: Pick<PersonProgress, "step" | "failed">): boolean {
  return step === null && failed.length === 0;
}

/**
 * True if another pass is due: the last one started while requests from before the deletion could
 * still write.
 */
export function isPassDue(progress: PersonProgress, createdAt: number, now: number): boolean {
  const last = createdAt + lateArrivalMs;
  return isPassOver(progress) && progress.startedAt < last && now >= last;
}

/** The progress in words, for the operator. */
export function formatProgress({ step, handled, failed }: PersonProgress): string {
  const again = failed.length === 0 ? "" : `, to be tried again: ${failed.length}`;
  if (step !== null)
    return `step ${personSteps.indexOf(step) + 1} of ${personSteps.length}, ${step}, so far: ${handled}${again}`;
  return failed.length === 0
    ? `all steps, in total: ${handled}; all of them run once more after an hour`
    : `the last step, so far: ${handled}${again}`;
}
