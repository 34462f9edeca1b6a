// The wait for a provider's answer. A provider that cannot be reached, or never answers, ends the call with a reason.

/**
 * A provider that has sent no status after this is given up. Its answer takes as long as it takes. The agent gives up a call on its own after
 * 5 minutes, and would not hear why.
 */
export const answerWaitMs = 4 * 60_000;

/** `silent`: it took the call, and sent no status in time. */
export type NoAnswer = "unreachable" | "silent";

/** Asks a provider, and answers why nothing came. Throws where the caller itself broke off. */
export async function answerOf(
  caller: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Response>,
  waitMs = answerWaitMs,
): Promise<Response | NoAnswer> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), waitMs);
  try {
    return await ask(AbortSignal.any([caller, silence.signal]));
  } catch (error) {
    if (caller.aborted) throw error;
    return silence.signal.aborted ? "silent" : "unreachable";
  } finally {
    clearTimeout(timer);
  }
}
