// The turns of a conversation, from the messages that were read and those that came since.
import type { Schemas, ShownMessage } from "@switchyard/client";
import { formatCount } from "./foot.ts";

export type Job = Schemas["Job"];

export interface Turn {
  jobId: string;
  messages: readonly ShownMessage[];
}

/**
 * The turns of a conversation, in order. A turn whose messages are those of `before` is the one of
 * `before`, so that only what changed is drawn again.
 */
export function listTurns(messages: readonly ShownMessage[], before: readonly Turn[] = []): Turn[] {
  const known = new Map(before.map((turn) => [turn.jobId, turn]));
  return [...Map.groupBy(messages, ({ jobId }) => jobId)].map(([jobId, ofTurn]) => {
    const same = known.get(jobId);
    return same && isSame(same.messages, ofTurn) ? same : { jobId, messages: ofTurn };
  });
}

function isSame<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

/**
 * Puts earlier messages in front of later ones. An answer that both have is joined, block by block;
 * what is later counts. Earlier messages that do not reach the later ones are left out: between
 * them, some may be missing.
 */
export function joinMessages(
  earlier: readonly ShownMessage[],
  later: readonly ShownMessage[],
  isNextTo = false,
): readonly ShownMessage[] {
  const [first] = later;
  if (!first || earlier.length === 0) return later.length === 0 ? earlier : later;
  const at = earlier.findIndex(({ id }) => id === first.id);
  if (at === -1) {
    // A page may be wholly among what is known.
    const known = new Set(later.map(({ id }) => id));
    return isNextTo ? [...earlier.filter(({ id }) => !known.has(id)), ...later] : later;
  }
  const begin = earlier[at] as ShownMessage;
  const missing = first.firstBlockIndex - begin.firstBlockIndex;
  if (missing > begin.blocks.length && !isNextTo) return later;
  const joined =
    missing > 0
      ? {
          ...first,
          firstBlockIndex: begin.firstBlockIndex,
          blocks: [...begin.blocks.slice(0, missing), ...first.blocks],
        }
      : first;
  return at === 0 && joined === first ? later : [...earlier.slice(0, at), joined, ...later.slice(1)];
}

/** How many user messages and blocks there are: what a page of a conversation counts. */
export function countParts(messages: readonly ShownMessage[]): number {
  return messages.reduce((sum, { role, blocks }) => sum + (role === "assistant" ? blocks.length : 1), 0);
}

/** Messages as a page has them, as they are shown. */
export function toShown(messages: readonly Schemas["Message"][]): ShownMessage[] {
  return messages.map((message) => ({ ...message, firstBlockIndex: message.firstBlockIndex ?? 0 }));
}

/**
 * The first line of a turn: of the words of its message, or the options that it chose, or how many
 * comments it was sent with.
 */
export function readBeginning({ messages }: Pick<Turn, "messages">): string {
  const answers = messages.flatMap(({ context }) => context?.answers ?? []);
  const words = messages.find(({ content }) => content)?.content || answers.map(({ option }) => option).join(", ");
  const comments = messages.flatMap(({ context }) => context?.diffCommentIds ?? []).length;
  const other = comments > 0 ? formatCount(comments, "comment") : "Earlier in this turn";
  return (words || other).trimStart().split("\n", 1)[0] ?? "";
}

/** True while the turn may still change. */
export const isWorking = (job: Pick<Job, "status"> | null): boolean =>
  job?.status === "pending" || job?.status === "running";
