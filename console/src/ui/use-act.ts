// One change at a time, and why it was refused.
import { useState } from "react";

/** Runs changes. `error` is the refusal of the last one; null without one. */
export function useAct() {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);

  /** True if the change was made. */
  async function act(change: () => Promise<unknown>): Promise<boolean> {
    setError(null);
    setIsBusy(true);
    try {
      await change();
      return true;
    } catch (refusal) {
      setError(refusal);
      return false;
    } finally {
      setIsBusy(false);
    }
  }

  return { act, error, isBusy, clearError: () => setError(null) };
}
