// A Switchyard that already runs on this machine, found by its port.

const answerWaitMs = 2_000;

/** The address of the Switchyard at a port; null if something else listens there. */
export async function findSwitchyard(port: number): Promise<string | null> {
  const address = `http://localhost:${port}`;
  try {
    const answer = await fetch(`${address}/api/openapi.json`, { signal: AbortSignal.timeout(answerWaitMs) });
    const { info } = (await answer.json()) as { info?: { title?: unknown } };
    return String(info?.title).startsWith("Switchyard") ? address : null;
  } catch {
    return null;
  }
}
