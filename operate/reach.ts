// Whether a deployed service answers. A new domain, or a new version, takes a while to be
// everywhere.

const patienceMs = 120_000;
const pauseMs = 2_000;
const answerMs = 10_000;

/** True once an address answers with success, false if it does not within two minutes. */
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
