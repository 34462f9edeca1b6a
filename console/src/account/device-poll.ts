// Asks the service whether a person has approved a device code at a provider.
import { ConnectionError, type Schemas, SwitchyardError } from "@switchyard/client";

interface Poll {
  /** Asks once. Null if the sign-in has ended. */
  ask: (signal: AbortSignal) => Promise<Schemas["SignInAnswer"] | null>;
  /** Receives the failure that ends the poll. */
  onRefusal: (refusal: unknown) => void;
}

/** Asks at intervals until the sign-in has ended. Returns how to stop. */
export function startDevicePoll(started: Schemas["DeviceSignIn"], { ask, onRefusal }: Poll): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const leaving = new AbortController();
  const { signal } = leaving;
  async function next(): Promise<void> {
    try {
      const answer = await ask(signal);
      if (answer !== null && !answer.authenticated && !answer.restart) wait(answer.intervalSeconds);
    } catch (refusal) {
      if (signal.aborted) return;
      if (isPassing(refusal, Date.parse(started.expiresAt))) wait();
      else onRefusal(refusal);
    }
  }
  const wait = (seconds = started.intervalSeconds) => {
    if (!signal.aborted) timer = setTimeout(next, seconds * 1_000);
  };
  wait();
  return () => {
    leaving.abort();
    clearTimeout(timer);
  };
}

/**
 * True if the code can still be approved: the question did not arrive, or the service or the
 * provider is unavailable for a moment.
 */
function isPassing(refusal: unknown, expiresAt: number): boolean {
  if (refusal instanceof ConnectionError) return true;
  const isBusy = refusal instanceof SwitchyardError && (refusal.status === 429 || refusal.status >= 500);
  return isBusy && Date.now() < expiresAt;
}
