// A cron run's own key (Part 2): its limits within the actions that the permission table allows.

import type { CallerFacts } from "../../access/rules/permission-table.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { SessionStatus } from "./status.ts";

/** A cron run files only Backlog sessions. */
export function checkFiling(caller: CallerFacts, status: "active" | "backlog"): Refusal | null {
  if (caller.kind !== "cron-run" || status === "backlog") return null;
  return refuse("FORBIDDEN", "A cron run files Backlog sessions only. Send the status backlog; a member starts it.");
}

export interface SessionEdit {
  /** The fields that the request sends. */
  fields: readonly string[];
  status: SessionStatus;
  /** True if a run of the same cron filed the session. */
  isFiledByOwnCron: boolean;
}

const fieldsWithoutCreator: readonly string[] = ["title", "priority", "prompt"];

/**
 * A run that acts as no member edits only title, priority and prompt of a Backlog session that its
 * own cron filed.
 */
export function checkEdit(caller: CallerFacts, edit: SessionEdit): Refusal | null {
  if (caller.kind !== "cron-run" || caller.actsAsMember) return null;
  if (
    edit.status === "backlog" &&
    edit.isFiledByOwnCron &&
    edit.fields.every((field) => fieldsWithoutCreator.includes(field))
  ) {
    return null;
  }
  return refuse(
    "FORBIDDEN",
    "This run edits only title, priority and prompt of Backlog sessions that its own cron filed.",
  );
}
