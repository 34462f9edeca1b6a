// What became of a message: it is printed, or its turn is waited for.
import {
  GaveUpError,
  type Queued,
  type Schemas,
  type Session,
  type Steered,
  type Turn,
  toVisible,
} from "@switchyard/client";
import { type Output, parseDuration } from "./command.ts";
import { exitCodes, getOutcomeCode, UsageError } from "./exit.ts";
import { formatEnd, formatWaiting, listQuestionLines, toAnswerCommand, toShortId } from "./print/session.ts";
import { toLine } from "./print/text.ts";

/** The flags of a command that sends. */
export const waitFlag = ["--wait", "wait until the turn has ended, and print its last words"] as const;
export const timeoutFlag = ["--timeout <time>", "with --wait: how long, such as 20m", parseDuration] as const;

export interface WaitOptions {
  wait?: true | undefined;
  timeout?: number | undefined;
}

/** Refuses a time for a wait that nobody asked for. */
export function checkWaitOptions({ wait, timeout }: WaitOptions): void {
  if (timeout !== undefined && !wait) throw new UsageError("--timeout says how long --wait waits. Add --wait.");
}

type Sent = Turn | Queued | Steered;

/** By what a script finds the session again, whichever of its names the command got. */
const toSessionName = ({ id, data }: Session) => ({ sessionId: id, sessionUrl: data.sessionUrl });

const toSentData = (session: Session, { delivery, id, notice }: Sent) => ({
  ...toSessionName(session),
  ...{ delivery, id },
  ...(notice === null ? {} : { notice }),
});

/** Prints what became of a message, or waits for its turn. */
export async function printSent(
  session: Session,
  sent: Sent,
  { wait, timeout }: WaitOptions,
  output: Output,
): Promise<void> {
  // What the service has to say about a message, such as that it names no skill.
  if (sent.notice !== null) output.note(toLine(sent.notice));
  if (!wait) return output.answer(toSentData(session, sent), [await formatSent(session, sent)]);
  // A message that was steered belongs to the newest turn.
  await waitFor(session, sent.delivery === "steer" ? null : sent, timeout, true, output);
}

async function formatSent(session: Session, { delivery, id }: Sent): Promise<string> {
  switch (delivery) {
    case "steer":
      return "steered into the running turn";
    case "queued": {
      const { messages } = await session.upNext.list();
      return `waits Up next as ${messages.findIndex((message) => message.id === id) + 1}`;
    }
    case "job":
      await session.refresh();
      return `turn ${session.data.latestChatJob?.jobNumber ?? ""} started`;
  }
}

/** Waits until a message of Up next has a turn. */
async function waitForStart(queued: Queued, timeoutMs: number | undefined): Promise<Turn> {
  const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const turn = await queued.turn({ signal }).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
    throw new GaveUpError("The time is over, and the message still waits Up next.", null);
  });
  if (turn === null) throw new UsageError("The message was deleted before its turn.");
  return turn;
}

/**
 * Waits for a turn, for that of a message, or for the newest one. Prints its result or else its
 * last words, and sets the exit code.
 */
export async function waitFor(
  session: Session,
  sent: Turn | Queued | null,
  timeoutMs: number | undefined,
  setsCode: boolean,
  { isJson, answer, note }: Output,
): Promise<void> {
  const { latestChatJob } = session.data;
  // The events of a turn that has ended come again.
  const isOver = sent === null && latestChatJob !== null && formatWaiting(latestChatJob) === null;
  let shown: string | null = null;
  const onJob = (job: Schemas["Job"]) => {
    const state = isOver ? null : formatWaiting(job);
    if (state !== null && state !== shown) note(state);
    shown = state;
  };
  const startedAt = Date.now();
  const wait = async () => {
    if (sent?.delivery !== "queued")
      return await (sent?.result({ timeoutMs, onJob }) ?? session.wait({ timeoutMs, onJob }));
    const turn = await waitForStart(sent, timeoutMs);
    // One time is for both waits.
    const left = timeoutMs === undefined ? undefined : Math.max(0, timeoutMs - (Date.now() - startedAt));
    return await turn.result({ timeoutMs: left, onJob });
  };
  const result = await wait().catch((error: unknown) => {
    if (!(error instanceof GaveUpError)) throw error;
    // What was waited for continues, and who waited has to find it.
    if (!isJson) throw new GaveUpError(`${error.message}\n→ sy wait ${toShortId(session.id)}`, error.state);
    answer(toSessionName(session), []);
    throw error;
  });
  if (result === null) throw new UsageError("The session has no turn yet.");
  note(formatEnd(result.job));
  // Scripts pass it on to a person, so it is printed with `--json`, too.
  if (result.outcome === "asks")
    for (const line of listQuestionLines(result.questions, toAnswerCommand(session.id), process.stderr))
      process.stderr.write(`${line}\n`);
  const submitted = result.outcome === "completed" ? result.result : null;
  const said = submitted === null ? result.text : JSON.stringify(submitted, null, 2);
  if (isJson || said !== "") answer({ ...toSessionName(session), ...result }, [toVisible(said)]);
  process.exitCode = setsCode ? getOutcomeCode(result.outcome) : exitCodes.done;
}
