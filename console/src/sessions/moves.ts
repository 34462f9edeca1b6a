// Where a session can be moved by a person, and what would be lost by ending it.
import type { Session } from "../session/queries.ts";

type Status = Session["status"];

/** The statuses that a person can give a session in this one. */
export function listMoves(status: Status): Exclude<Status, "backlog">[] {
  switch (status) {
    case "backlog":
      return ["archived"];
    case "active":
      return ["under-review", "completed", "archived"];
    case "under-review":
      return ["active", "completed", "archived"];
    default:
      return [];
  }
}

/** The columns of the board. */
export const columns = ["backlog", "active", "under-review"] as const;
export type Column = (typeof columns)[number];

/** True if a card of a status may be dropped on a column. To leave the Backlog is to start. */
export const canDrop = (status: Status, column: Column): boolean =>
  status === "backlog" ? column === "active" : listMoves(status).some((move) => move === column);

/** True for the statuses that no session leaves. */
export const isFinal = (status: Status): status is "completed" | "archived" =>
  status === "completed" || status === "archived";

export const priorities = ["urgent", "high", "medium", "low", "none"] as const;

export const priorityWords: Record<Session["priority"], string> = {
  urgent: "Urgent",
  high: "High",
  medium: "Medium",
  low: "Low",
  none: "No priority",
};

/** Work that only the sandbox of a session has. */
export interface Loss {
  /** Files that are not committed. */
  files: string[];
  /** Commits that are not pushed. */
  commits: string[];
}

/** Reads what a refusal says would be lost; null where it says nothing of that. */
export function describeLoss(details: unknown): Loss | null {
  const { files, commits } = (details ?? {}) as { files?: unknown; commits?: unknown };
  if (files === undefined && commits === undefined) return null;
  return { files: toTexts(files, ["path"]), commits: toTexts(commits, ["message", "sha"]) };
}

function toTexts(value: unknown, names: string[]): string[] {
  if (typeof value === "number") return Array.from({ length: value }, () => "");
  if (!Array.isArray(value)) return [];
  return value.map((one) => {
    if (typeof one === "string") return one;
    const text = names.map((name) => one?.[name]).find((found) => typeof found === "string");
    return text?.split("\n", 1)[0] ?? "";
  });
}

/** How much would be lost, in words. */
export function countLoss({ files, commits }: Loss): string {
  const parts = [
    files.length > 0 ? `${files.length} ${files.length === 1 ? "file that is" : "files that are"} not committed` : null,
    commits.length > 0
      ? `${commits.length} ${commits.length === 1 ? "commit that is" : "commits that are"} not pushed`
      : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? "work of the agent" : parts.join(" and ");
}
