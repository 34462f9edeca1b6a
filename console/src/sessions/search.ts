// The filters of the list of sessions as the address has them, and as the service takes them.
import type { Session, SessionFilter } from "../session/queries.ts";

type Status = Session["status"];

/** The choices of the status filter. Without one, the list shows what has not ended. */
export const statusChoices = ["backlog", "active", "under-review", "completed", "archived", "any"] as const;
export type StatusChoice = (typeof statusChoices)[number];

export const statusWords: Record<Status, string> = {
  backlog: "Backlog",
  active: "Active",
  "under-review": "Under review",
  completed: "Completed",
  archived: "Archived",
};

export const sortChoices = ["created", "priority"] as const;

export interface SessionsSearch {
  /** A part of the title or the prompt. */
  q?: string;
  status?: StatusChoice;
  /** The id of a project. */
  project?: string;
  /** `me`, `service`, `none` or a user id. */
  assignee?: string;
  /** How the list is sorted, where it is not by the last change. */
  sort?: (typeof sortChoices)[number];
  page?: number;
  /** The list is shown where this is left out. */
  view?: "board";
}

const asText = (value: unknown): string =>
  typeof value === "number" ? String(value) : typeof value === "string" ? value : "";

/** What the service takes; another one would be refused. */
const assigneeForm = /^(?:me|service|none|usr_[\w-]+)$/;

/** Reads the filters of an address. What is no filter is left out. */
export function readSessionsSearch(raw: Record<string, unknown>): SessionsSearch {
  const q = asText(raw.q);
  const project = asText(raw.project);
  const assignee = asText(raw.assignee).match(assigneeForm)?.[0];
  const status = statusChoices.find((one) => one === raw.status);
  const sort = sortChoices.find((one) => one === raw.sort);
  const page = Number(raw.page);
  return {
    ...(q ? { q } : {}),
    ...(status ? { status } : {}),
    ...(project ? { project } : {}),
    ...(assignee ? { assignee } : {}),
    ...(sort ? { sort } : {}),
    ...(Number.isSafeInteger(page) && page > 1 ? { page } : {}),
    ...(raw.view === "board" ? { view: "board" as const } : {}),
  };
}

export const rowsPerPage = 50;

/** The filters as the service takes them. */
export function toSessionFilter({ q, status, project, assignee, sort, page }: SessionsSearch): SessionFilter {
  const statuses: Status[] | null =
    status === "any" ? null : status === undefined ? ["backlog", "active", "under-review"] : [status];
  return {
    sort: sort ?? "updated",
    pageSize: rowsPerPage,
    ...(page === undefined ? {} : { page }),
    ...(q?.trim() ? { search: q.trim() } : {}),
    ...(statuses ? { status: statuses } : {}),
    ...(project ? { project: [project] } : {}),
    ...(assignee ? { assignee } : {}),
  };
}

/** The list that has all sessions of a column, in the same order. */
export const toColumnList = ({ q, project, assignee }: SessionsSearch, status: Status): SessionsSearch =>
  readSessionsSearch({ q, project, assignee, status, sort: "priority" });

/** The filter of a column of the board: the most urgent first, of one status. */
export const toColumnFilter = (search: SessionsSearch, status: Status): SessionFilter =>
  toSessionFilter(toColumnList(search, status));

/** How many sessions of a column were read, and whether there may be more. */
export function countColumn(sessions: readonly Pick<Session, "status">[], status: Status) {
  const count = sessions.filter((one) => one.status === status).length;
  const isFull = sessions.length >= rowsPerPage;
  return { count: isFull ? `${count}+` : String(count), isFull };
}
