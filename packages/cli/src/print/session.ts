// Sessions, turns and questions, as people read them.
import { type Schemas, toVisible } from "@switchyard/client";
import { formatNamed, formatTable, toLine, toStyled } from "./text.ts";

type Session = Schemas["Session"];

/** The end of an id, which names a session in commands. */
export function toShortId(id: string): string {
  return id.slice(-6);
}

/** The command that answers the questions of a session. */
export function toAnswerCommand(id: string): string {
  return `sy answer ${toShortId(id)}`;
}

/** What a session waits for, or what it does. */
function formatState({ status, needsYouReason, latestChatJob }: Session): string {
  if (needsYouReason !== null) return `needs you: ${needsYouReason.replaceAll("_", " ")}`;
  const job = latestChatJob?.status;
  return job === "pending" || job === "running" ? "working" : status;
}

/** A row of the list of sessions. */
export function toSessionRow(session: Session): string[] {
  return [toShortId(session.id), formatState(session), session.branch ?? "–", toLine(session.title)];
}

type Named = readonly [name: string, value: string | null];

/** A session in some lines, with what else is known of it. */
export function listSessionLines(session: Session, more: readonly Named[] = []): string[] {
  const { id, title, branch, targetBranch, prUrl, prState, latestChatJob, queue, sessionUrl } = session;
  const lines = formatNamed([
    ["id", id],
    ["state", formatState(session)],
    ["turn", latestChatJob && `${latestChatJob.jobNumber}, ${latestChatJob.status.replaceAll("_", " ")}`],
    ["branch", branch && `${branch} → ${targetBranch}`],
    ["pull request", prUrl && `${prUrl} (${prState})`],
    ["Up next", queue.count === 0 ? null : `${queue.count}${queue.paused === null ? "" : ", paused"}`],
    ...more,
    ["address", sessionUrl],
  ]);
  return [toStyled("bold", toLine(title)), ...lines];
}

/** The files of a session's changes, in a line. */
export function formatChanges(files: readonly Schemas["ChangedFile"][]): string {
  const sum = (key: "additions" | "deletions") => files.reduce((total, file) => total + file[key], 0);
  if (files.length === 0) return "none";
  return `${files.length} ${files.length === 1 ? "file" : "files"}, +${sum("additions")} -${sum("deletions")}  → sy diff`;
}

/** The checks of a pull request, in a line. */
export function formatChecks({ checks }: Schemas["PullRequest"]): string {
  const states = new Map<string, number>();
  for (const { status, conclusion } of checks) {
    const state = (conclusion ?? status).replaceAll("_", " ");
    states.set(state, (states.get(state) ?? 0) + 1);
  }
  const counts = [...states].map(([state, count]) => `${count} ${state}`);
  return counts.length === 0 ? "none" : `${counts.join(", ")}  → sy pr --show`;
}

const signs = { pending: "○", in_progress: "◐", completed: "●" } as const;

/** The newest plan of a turn. */
export function listPlanLines(blocks: readonly Schemas["Block"][]): string[] {
  const plan = blocks.findLast(({ type }) => type === "plan");
  if (plan?.type !== "plan") return [];
  return ["", ...plan.items.map(({ title, status }) => `${signs[status]} ${toLine(title)}`)];
}

/** A pull request with its checks and reviewers. */
export function listPullRequestLines(pullRequest: Schemas["PullRequest"]): string[] {
  const { number, title, state, url, base, isMergeable, checks, reviewers } = pullRequest;
  const conflict = isMergeable === false ? `, conflicts with ${base}` : "";
  return [
    toStyled("bold", toLine(`#${number} ${title}`)),
    toLine(`${state}${conflict}  ${url}`),
    ...formatTable(checks.map(({ name, status, conclusion }) => [toLine(conclusion ?? status), toLine(name)])),
    ...formatTable(reviewers.map((one) => [toLine(one.state.replaceAll("_", " ")), toLine(one.login)])),
  ];
}

/** The questions of a turn, with the command that answers them, such as `sy answer 9c1e42`. */
export function listQuestionLines(
  questions: readonly Schemas["ClarificationQuestion"][],
  command: string | null,
  stream: NodeJS.WriteStream = process.stdout,
): string[] {
  const lines = questions.flatMap(({ question, options }, number) => [
    questions.length > 1 ? `${number}. ${toVisible(question)}` : toVisible(question),
    ...options.map(({ title, description, isRecommended }, at) => {
      const hint = [isRecommended ? "recommended" : null, description].filter(Boolean).join(": ");
      return `  ${at}  ${toLine(title)}${hint === "" ? "" : `  ${toStyled("dim", toLine(hint), stream)}`}`;
    }),
  ]);
  if (command === null) return lines;
  const example = questions.length > 1 ? "0=0 1=0" : "0";
  return [...lines, toStyled("dim", `→ ${command} ${example}`, stream)];
}

const states: Record<Schemas["Job"]["status"], string> = {
  pending: "starts",
  running: "works",
  completed: "is done",
  awaiting_response: "asks",
  cancelled: "was stopped",
  failed: "failed",
};

/** What a turn does until it ends; null once it has ended. */
export function formatWaiting({ jobNumber, status }: Pick<Schemas["Job"], "jobNumber" | "status">): string | null {
  return status === "pending" || status === "running" ? `turn ${jobNumber} ${states[status]}` : null;
}

/** What became of a turn, in a line. */
export function formatEnd({
  jobNumber,
  status,
  error,
}: Pick<Schemas["Job"], "jobNumber" | "status" | "error">): string {
  return `turn ${jobNumber} ${states[status]}${status === "failed" && error !== null ? `: ${toLine(error)}` : ""}`;
}
