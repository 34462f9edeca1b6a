// The R2 folder of an owner of turns. It is deleted with its owner, and those of a cron's runs with the cron.
import type { TurnOwner } from "../rules/chat/turn-owner.ts";

const folders: Record<TurnOwner["type"], string> = {
  session: "sessions",
  project: "projects",
  "cron-run": "cron-runs",
};

export function ownerFolder({ type, id, cronId }: TurnOwner): string {
  if (cronId !== undefined) return `${cronFolder(cronId)}runs/${id}/`;
  return `${folders[type]}/${id}/`;
}

/** The folder of all that the runs of a cron stored. */
export const cronFolder = (cronId: string) => `crons/${cronId}/`;
