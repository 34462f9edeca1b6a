// Wakes the sandbox of a session for what only a running one can do.
import { type Session, SwitchyardError } from "@switchyard/client";

/** Resolves when the sandbox runs; throws a sentence for the person where a limit forbids it. */
export async function wakeSandbox({ preview }: { preview: Pick<Session["preview"], "awake"> }): Promise<void> {
  try {
    await preview.awake();
  } catch (error) {
    const code = error instanceof SwitchyardError ? error.failure.code : null;
    if (code === "SANDBOX_LIMIT_REACHED")
      throw new Error("The limit of running sandboxes is reached. Preview says which: stop one of them.");
    if (code === "CREDIT_LIMIT_REACHED")
      throw new Error("The workspace has reached its limit, so its sandbox stays asleep.");
    throw error;
  }
}
