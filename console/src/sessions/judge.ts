// Whether a session belongs in a list that was read before: live events keep cached lists fresh
// without another call, wherever the filter of the list can be judged here.
import type { Session, SessionFilter } from "../session/queries.ts";

/** What a filter needs to know beside the session itself. */
export interface Known {
  userId: string | null;
  /** The workspace of a project; null where it is not known. */
  findWorkspace(projectId: string): string | null;
}

export type Verdict = "in" | "out" | "unknown";

/** Judges whether a list with this filter has the session on one of its pages. */
export function judgeSession(session: Session, filter: SessionFilter, known: Known): Verdict {
  const verdicts: (Verdict | true)[] = [
    filter.ref === undefined && filter.metadata === undefined ? "in" : "unknown",
    filter.project === undefined || toVerdict(filter.project.includes(session.projectId)),
    judgeWorkspace(session, filter, known),
    filter.status === undefined || toVerdict(filter.status.includes(session.status)),
    filter.job === undefined || toVerdict(filter.job.some((status) => status === session.latestChatJob?.status)),
    filter.needsYou !== true || toVerdict(session.needsYouReason !== null),
    judgeAssignee(session, filter, known),
    judgeSearch(session, filter),
  ];
  if (verdicts.includes("out")) return "out";
  return verdicts.includes("unknown") ? "unknown" : "in";
}

const toVerdict = (holds: boolean): Verdict => (holds ? "in" : "out");

function judgeWorkspace({ projectId }: Session, { workspace }: SessionFilter, known: Known): Verdict {
  if (workspace === undefined) return "in";
  const found = known.findWorkspace(projectId);
  return found === null ? "unknown" : toVerdict(workspace.includes(found));
}

function judgeAssignee({ assignee }: Session, filter: SessionFilter, { userId }: Known): Verdict {
  if (filter.assignee === undefined) return "in";
  if (filter.assignee === "none") return toVerdict(assignee === null);
  if (filter.assignee === "service") return toVerdict(assignee?.kind === "service");
  const wanted = filter.assignee === "me" ? userId : filter.assignee;
  if (wanted === null) return "unknown";
  return toVerdict(assignee?.kind === "member" && assignee.userId === wanted);
}

function judgeSearch({ title, prompt, isPromptCut }: Session, { search }: SessionFilter): Verdict {
  if (!search) return "in";
  const wanted = search.toLowerCase();
  if (`${title}\n${prompt ?? ""}`.toLowerCase().includes(wanted)) return "in";
  return isPromptCut ? "unknown" : "out";
}

const urgency = { urgent: 0, high: 1, medium: 2, low: 3, none: 4 };

function compare(one: Session, other: Session, sort: SessionFilter["sort"]): number {
  if (sort === "updated") return other.updatedAt.localeCompare(one.updatedAt);
  const byUrgency = sort === "priority" ? urgency[one.priority] - urgency[other.priority] : 0;
  return byUrgency || other.createdAt.localeCompare(one.createdAt);
}

export interface Placed {
  /** The same array where nothing of it has changed. */
  list: readonly Session[];
  /** True if the service has to say what the list is now. */
  isStale: boolean;
}

/** Puts a session that has changed into a cached list, or takes it out. */
export function placeSession(list: readonly Session[], session: Session, filter: SessionFilter, known: Known): Placed {
  const before = list.find(({ id }) => id === session.id);
  if (before && before.updatedAt > session.updatedAt) return { list, isStale: false };
  const verdict = judgeSession(session, filter, known);
  const pageSize = filter.pageSize ?? 25;
  const isFirst = (filter.page ?? 1) === 1;
  if (verdict === "out") {
    if (!before) return { list, isStale: !isFirst };
    return { list: list.filter((one) => one !== before), isStale: list.length >= pageSize || !isFirst };
  }
  const replaced = before && list.map((one) => (one === before ? session : one));
  if (verdict === "unknown" || !isFirst) return { list: replaced ?? list, isStale: verdict === "unknown" || !before };
  const next = (replaced ?? [...list, session]).toSorted((one, other) => compare(one, other, filter.sort));
  return { list: next.slice(0, pageSize), isStale: false };
}

/** The newer of two records of a session. Events carry a long prompt cut. */
export function mergeSession(before: Session | undefined, session: Session): Session {
  if (!before) return session;
  if (before.updatedAt > session.updatedAt) return before;
  const { prompt, isPromptCut } = session;
  const isKnownWhole = isPromptCut && prompt !== null && before.prompt?.startsWith(prompt);
  return { ...before, ...session, ...(isKnownWhole ? { prompt: before.prompt, isPromptCut: before.isPromptCut } : {}) };
}
