// Effects: everything that a rule may request. Each is idempotent, stored with the state that
// requested it, and retried until it succeeds. Its `id` is that of the turn, generation, run or
// other thing that it is about.
import type { RecordedEvent } from "../activity/rules/activity.ts";
import type { EndedRun, NewRun, RunStop } from "../cron/rules/run-status.ts";
import type { Notification } from "../notification/rules/notification.ts";
import type { ReviewEvent } from "../session/rules/pull-request/review-event.ts";
import type { WebhookEvent } from "../webhook/rules/event.ts";

/** The effects that the rules of a chat may request from the object that hosts it. */
export type ChatEffect =
  /** Wake the sandbox and hand it the turn. */
  | { type: "start-turn"; id: string }
  /** End the turn's agent and processes in the sandbox. */
  | { type: "stop-turn"; id: string }
  /** Discard the sandbox without a save, because a turn in it does not stop. */
  | { type: "discard-sandbox"; id: number }
  /**
   * Notify the sandbox that a turn no longer needs it, so that it may save its work and go idle.
   */
  | { type: "release-sandbox"; id: string }
  /** Hand the messages steered into a turn to its agent. */
  | { type: "deliver-steers"; id: string }
  /** Revoke the access of the turn's agent. */
  | { type: "revoke-agent"; id: string }
  /** Delete files that no message contains any longer. */
  | { type: "drop-attachments"; id: string; attachmentIds: string[] }
  /** Write one turn's row of the job index. */
  | { type: "index-turn"; id: string }
  /** Write the usage of a turn, or of other work with this id, to the usage of the workspace. */
  | { type: "index-usage"; id: string }
  /** Write the current state of the chat to the index of its owner. */
  | { type: "index-chat" }
  | Reminder<ChatReminder>;

/** The effects of a session's rules: those of its chat, on behalf of the session, and its own. */
export type SessionEffect =
  | Exclude<ChatEffect, { type: "index-chat" | "drop-attachments" }>
  /** Have the sandbox summarize the agent's conversation. */
  | { type: "compact"; id: string }
  /** End the session, following the end of its pull request. */
  | { type: "follow-pull-request" }
  /** Merge the pull request if its checks have passed. */
  | { type: "ship" }
  /** Read the outcome of the pull request's checks from the code host. */
  | { type: "read-checks" }
  /** Mark the pull request ready for review again, after automatic work on it. */
  | { type: "mark-ready" }
  /** Run the project's triggers for the failed checks of this commit. */
  | { type: "run-triggers"; id: string }
  /** Run them again if they did nothing for this commit because automatic repairs were off. */
  | { type: "retry-triggers"; id: string }
  /** Run the project's triggers for a review. */
  | { type: "run-review-triggers"; id: number; review: ReviewEvent }
  /** Write the comments at the code host that show the state of the session. */
  | { type: "answer-places" }
  /** Check on the code host whether the session's branch is behind its Target Branch. */
  | { type: "compare-branch" }
  /**
   * Save the sandbox's work and end it: the session has ended, or the login that paid for its turn
   * is disconnected.
   */
  | { type: "stop-sandbox" }
  /** End the sandbox and delete everything that it saved, because the session is deleted. */
  | { type: "destroy-sandbox"; id: string }
  /** Delete files that no message of the session contains any longer. */
  | { type: "drop-attachments"; id: string; sessionId: string; attachmentIds: string[] }
  /** Delete the session from every list, and everything that is stored for it. */
  | { type: "forget-session"; sessionId: string; workspaceId: string; projectId: string }
  | RecordEvents
  | NotifyPeople
  /**
   * Ask a model for the title of the session that started with this turn. Tried once, because
   * nobody waits for it.
   */
  | { type: "draft-title"; id: string }
  /** Write the session's row of the index that lists and searches read. */
  | { type: "index-session" }
  /** Write the texts of a turn that a search in messages finds. */
  | { type: "index-messages"; id: string }
  /**
   * Write the rows and texts of the turns from this number on, a page at a time, after a restore.
   */
  | { type: "index-history"; id: number }
  /** Write the rows by which lists find the session by its metadata. */
  | { type: "index-metadata" }
  | Reminder<SessionReminder>;

/** The effects of a project's rules: those of the Deploy Chat, and those of the Deploy. */
export type ProjectEffect =
  | Exclude<ChatEffect, { type: "index-chat" }>
  /** Do the work of the Deploy's phase. */
  | { type: "work-on-phase"; id: string }
  /** Restore the project's settings in the running main sandbox, because a draft was dropped. */
  | { type: "put-settings-back"; id: string }
  /** End a sandbox that no Deploy needs any longer, and delete everything that it saved. */
  | { type: "destroy-sandbox"; id: string }
  /** Write the state of the Deploy to the project's row. */
  | { type: "index-project" }
  /** Send the project, as lists show it now, to the listeners of its workspace. */
  | { type: "publish-project" }
  /** End spares that do not fit, and create the missing ones. */
  | { type: "tend-pool" }
  | RecordEvents
  /** Move the live checkout to the newest commit of the Target Branch. */
  | { type: "follow-target" }
  | Reminder<ProjectReminder>;

/** The effects that a sandbox's rules may request. */
export type SandboxEffect =
  /** Bring the sandbox of this generation up: slot, process, checkout or archive, services. */
  | { type: "start"; id: number }
  /**
   * Make the missing base of its project. After a start that took `movedMs` to move an earlier
   * base, only if it is worth it.
   */
  | { type: "make-base"; id: number; movedMs?: number }
  /** Save its work, then end the process and release the slot. */
  | { type: "pause"; id: number }
  /** Save its work while it continues to run. */
  | { type: "save"; id: number }
  /** Restart the services of the project, and nothing else. */
  | { type: "restart-services"; id: number }
  /** Start the services that a pause stopped before it was cancelled. */
  | { type: "start-services"; id: number }
  /** End the process and release the slot; nothing is saved. */
  | { type: "end"; id: number }
  /** End the container of an earlier generation, concurrently with the start of this one. */
  | { type: "leave-container"; id: number; left: number }
  /** Delete the saved work of a sleeping sandbox. */
  | { type: "drop-work"; id: number }
  /** End the process, release the slot and delete all saved work. */
  | { type: "destroy"; id: number }
  | Reminder<SandboxReminder>;

/** The effects that the rules of a cron may request from its object. */
export type CronEffect =
  /** Write the cron and its projects to the index that lists and reads use. */
  | { type: "index-cron" }
  /** Record the runs of one fire, and hand those that start to their objects. */
  | { type: "open-runs"; id: string; prompt: string; opens: NewRun[]; ends: EndedRun[] }
  /** End a run. */
  | { type: "stop-run"; id: string; stop: RunStop }
  /** Delete the cron from every list. */
  | { type: "forget-cron"; cronId: string; workspaceId: string }
  /**
   * Delete, in pages, everything that is stored for the runs of a deleted cron, once its running
   * ones are stopped.
   */
  | { type: "delete-runs"; cronId: string; stopped: string[] }
  /** Delete, in pages, the runs of a cron that are older than runs are stored. */
  | { type: "delete-old-runs"; cronId: string }
  | RecordEvents
  | NotifyPeople
  | Reminder<CronReminder>;

/** The effects of a run's rules: those of its chat, on behalf of the run, and its own. */
export type CronRunEffect =
  | Extract<ChatEffect, { type: "start-turn" | "stop-turn" | "release-sandbox" | "index-usage" }>
  /** Report the end of the run to the index, the activity and its cron. */
  | { type: "report-end" }
  | NotifyPeople
  | Reminder<CronRunReminder>;

/**
 * Record what happened in the activity of the workspace, and send it to the workspace's webhooks.
 * Effects that an earlier version stored have no `sent`.
 */
export type RecordEvents = { type: "record-events"; id: string; events: RecordedEvent[]; sent?: WebhookEvent[] };

/** Notify people of an event on their devices. */
export type NotifyPeople = { type: "tell-people"; id: string; notice: Notification };

/**
 * A deadline that the object itself stores: set and cleared in the same transaction as the state.
 */
export type Reminder<Name extends string> =
  | { type: "remind"; name: Name; at: number }
  | { type: "forget"; name: Name }
  | { type: "forget-all" };

export const chatReminders = ["watch-turn", "stop-overdue", "tell-usage"] as const;
export type ChatReminder = (typeof chatReminders)[number];

export const sessionReminders = [
  ...chatReminders,
  "command-overdue",
  "forget-answers",
  "pull-request-stale",
  "answer-places",
] as const;
export type SessionReminder = (typeof sessionReminders)[number];

export const projectReminders = [
  ...chatReminders,
  "phase-overdue",
  "end-sandboxes",
  "tend-pool",
  "follow-target",
] as const;
export type ProjectReminder = (typeof projectReminders)[number];

export const cronReminders = ["fire"] as const;
export type CronReminder = (typeof cronReminders)[number];

export const cronRunReminders = [...chatReminders, "deadline", "forget-log"] as const;
export type CronRunReminder = (typeof cronRunReminders)[number];

export const sandboxReminders = ["start-overdue", "idle", "pause-overdue"] as const;
export type SandboxReminder = (typeof sandboxReminders)[number];

/**
 * What distinguishes an effect from others of its object. Of the effects with one name, only the
 * newest is performed.
 */
export type EffectName<Effect> = Effect extends { type: infer Type; id: infer Id }
  ? { type: Type; id: Id }
  : Effect extends { type: infer Type }
    ? { type: Type }
    : never;

/** The name of an effect as one text. */
export function getEffectKey({ type, id }: { type: string; id?: string | number }): string {
  return id === undefined ? type : `${type}:${id}`;
}
