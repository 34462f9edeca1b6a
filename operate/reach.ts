// Whether a deployed service responds. A new domain or version takes a while to be available
// everywhere.

const patienceMs = 120_000;
const pauseMs = 2_000;
const answerMs = 10_000;

/** Returns true once an address responds with success, false after two minutes without one. */
export async function answersSoon(url: string): Promise<boolean> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerMs) }).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return true;
    if (Date.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
