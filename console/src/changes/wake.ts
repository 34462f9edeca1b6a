// Wakes the sandbox of a session for what only a running one can do.
import type { Session } from "@switchyard/client";

/** Resolves when the sandbox runs; throws a sentence for the person where a limit forbids it. */
export async function wakeSandbox({ preview }: { preview: Pick<Session["preview"], "awake"> }): Promise<void> {
  const { sandboxLimitReached, creditLimitReached } = await preview.awake();
  if (sandboxLimitReached) throw new Error("As many sandboxes run as may run. Preview lists them: stop one there.");
  if (creditLimitReached) throw new Error("The workspace has reached its limit, so its sandbox stays asleep.");
}
