// The R2 folder of an owner of turns. It is deleted with its owner, and those of a cron's runs with the cron.
import type { TurnOwner } from "../chat/rules/chat.ts";
import type { Storage } from "./bodies.ts";
import { deletePrefix } from "./objects.ts";
import { forgetFolder } from "./stored-objects.ts";

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

/** Deletes all objects in a folder, which count to no quota any longer. Idempotent. */
export async function deleteFolder({ DB, STORE }: Storage, folder: string): Promise<void> {
  await deletePrefix(STORE, folder);
  await forgetFolder(DB, folder);
}
