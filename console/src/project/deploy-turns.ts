// The turns of a Deploy Chat. Its messages name their Deploy, and not their turn.
import type { Schemas } from "@switchyard/client";
import type { SessionState } from "@switchyard/client/state";
import { isWorking } from "../conversation/turns.ts";

type DeployMessage = Schemas["DeployMessage"];
type Message = Schemas["Message"];
type Job = Schemas["Job"];

/** What the events have said of turns. A read of the chat has only the id of the newest one. */
export interface KnownTurns {
  jobs: readonly Job[];
  /** The turn of each message whose turn has a record. */
  turnOf: ReadonlyMap<string, string>;
}

export const noTurns: KnownTurns = { jobs: [], turnOf: new Map() };

/**
 * The records that were known, with those of a state. Only the newest turn works: the end of
 * another one was missed, so its record is left out.
 */
export function joinJobs(known: readonly Job[], jobs: readonly Job[]): Job[] {
  const ids = new Set(jobs.map(({ id }) => id));
  const all = [...known.filter(({ id }) => !ids.has(id)), ...jobs];
  const newest = Math.max(...all.map(({ createdAt }) => Date.parse(createdAt)));
  return all.filter((job) => !isWorking(job) || Date.parse(job.createdAt) === newest);
}

/** What is known of the turns of a state, and of those before it that it still shows. */
export function keepTurns(known: KnownTurns, { jobs, messages }: Pick<SessionState, "jobs" | "messages">): KnownTurns {
  const joined = joinJobs(known.jobs, jobs);
  const ids = new Set(joined.map(({ id }) => id));
  const turnOf = new Map(messages.filter(({ jobId }) => ids.has(jobId)).map(({ id, jobId }) => [id, jobId]));
  const shown = new Set(turnOf.values());
  return { jobs: joined.filter(({ id }) => shown.has(id)), turnOf };
}

/**
 * The messages with the turns that they belong to. A message that a user started a turn with begins
 * one, and so does a new Deploy. The newest turn has the id of its stream, and an earlier one the
 * id that is known of its messages.
 */
export function toTurnMessages(
  messages: readonly DeployMessage[],
  newestTurnId: string | null,
  turnOf: KnownTurns["turnOf"] = noTurns.turnOf,
): Message[] {
  let [turn, deploy, isStarted] = [0, messages[0]?.deployJobId, false];
  const placed = messages.map((message) => {
    const begins = message.role === "user" && message.delivery === "job";
    if (message.deployJobId !== deploy || (begins && isStarted)) {
      turn += 1;
      isStarted = false;
    }
    deploy = message.deployJobId;
    // What the service says before it belongs to the turn.
    isStarted ||= message.role !== "system";
    return { message, turn };
  });
  // The service may speak of a new Deploy before its turn begins.
  const newest = placed.findLast(({ message }) => message.role !== "system")?.turn;
  const ids = new Map<number, string>();
  for (const { message, turn: at } of placed) {
    const id = turnOf.get(message.id);
    if (id !== undefined && id !== newestTurnId) ids.set(at, id);
  }
  if (newest !== undefined && newestTurnId !== null && !ids.has(newest)) ids.set(newest, newestTurnId);
  return placed.map(({ message: { deployJobId, ...message }, turn: at }) => ({
    ...message,
    jobId: ids.get(at) ?? `${deployJobId} ${at}`,
  }));
}

/** The questions that wait for an answer: those that were asked last. */
export function findQuestions(messages: readonly Pick<Message, "blocks">[]): Schemas["ClarificationQuestion"][] {
  const asked = messages
    .flatMap(({ blocks }) => blocks)
    .findLast((block): block is Schemas["ClarificationBlock"] => block.type === "clarification");
  return asked?.clarificationData.questions ?? [];
}

/** The answers as they are sent; null until every question has its option. */
export function toAnswers(
  questions: readonly Schemas["ClarificationQuestion"][],
  picked: Readonly<Record<number, number>>,
): { question: number; option: number }[] | null {
  const answers = questions.flatMap((_, question) => {
    const option = picked[question];
    return option === undefined ? [] : [{ question, option }];
  });
  return answers.length === questions.length && answers.length > 0 ? answers : null;
}
