// The message that a turn was started with. Of a long turn, the newest messages begin after it.
import type { Schemas } from "@switchyard/client";

type Message = Pick<Schemas["Message"], "role" | "jobId" | "delivery" | "author" | "content">;

/** The first message of a turn; null where there is none among these. */
export const findFirstMessage = <One extends Message>(messages: readonly One[], jobId: string | null): One | null =>
  messages.find((one) => one.jobId === jobId && one.role === "user" && one.delivery !== "steer") ?? null;

/** True if what is known of the conversation begins inside this turn. */
export const isCutOff = (messages: readonly Message[], jobId: string | null): boolean =>
  messages[0] !== undefined && messages[0].jobId === jobId && findFirstMessage(messages, jobId) === null;

/** Reads a turn page by page, back to its first message; null where it has none. */
export async function readFirstMessage<One extends Message>(
  jobId: string,
  readPage: (before: string | null) => Promise<{ messages: readonly One[]; before?: string | null }>,
): Promise<One | null> {
  let before: string | null = null;
  for (;;) {
    const page = await readPage(before);
    const first = findFirstMessage(page.messages, jobId);
    before = page.before ?? null;
    if (first !== null || before === null) return first;
  }
}

/** True if the person may steer the turn. One whose first message is not read yet may be theirs. */
export function mayBeStarter(first: Message | null | undefined, userId: string | null): boolean {
  if (first === undefined) return true;
  return first?.author != null && "userId" in first.author && first.author.userId === userId;
}
