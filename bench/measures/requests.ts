// Single requests compared with the bare routes: a send that starts a turn, a send that is queued,
// and a poll of a job. The sends are also compared between a session with a long history and one
// with a short history.
//
// A send that starts a turn causes work that would slow down the next sample. So each sample, also
// a bare one, starts after the earlier turns have ended and their objects are idle, and each round
// after their sandboxes have saved. Queued sends are sampled alternately with the bare route while
// the earlier turns sleep in their sandboxes, so that both sides run next to one running turn and
// nothing else.
import type { Bare } from "../lib/bare.ts";
import { endlessTurn, shortTurn } from "../lib/practice-turn.ts";
import { getJobId, type ProductSession } from "../lib/product.ts";
import { type Finding, toComparedFinding } from "../lib/result.ts";
import { measureSideBySide, type Rounds } from "../lib/samples.ts";

const requestBar = 2.5;
const longSessionBar = 1.2;
/** Less than the size of Up next. */
const queuedPerSession = 15;

export interface TwoSessions {
  /**
   * A session with a few messages and one with ten thousand. Both sandboxes are running, without a
   * turn.
   */
  short: ProductSession;
  long: ProductSession;
}

/** Measures sends that start a turn. */
export async function measureStartingSends(
  { short, long }: TwoSessions,
  bare: Bare,
  count: number,
): Promise<Finding[]> {
  async function sendAndEnd(session: ProductSession): Promise<number> {
    const reply = await session.send(shortTurn);
    await session.completed(getJobId(reply));
    await session.quiet();
    return reply.ms;
  }
  const samples = await measureSideBySide(
    { warmUp: 3, count },
    {
      short: () => sendAndEnd(short),
      bare: async () => {
        const { ms } = await bare.post(shortTurn);
        await short.quiet();
        return ms;
      },
      long: () => sendAndEnd(long),
    },
    async () => void (await Promise.all([short.settled(), long.settled()])),
  );
  return [
    toComparedFinding("send that starts a turn, against the bare POST", samples.short, samples.bare, requestBar),
    toComparedFinding(
      "send that starts a turn, 10,000 messages against few",
      samples.long,
      samples.short,
      longSessionBar,
    ),
  ];
}

/** Measures sends that are queued. */
export async function measureQueuedSends({ short, long }: TwoSessions, bare: Bare, count: number): Promise<Finding[]> {
  const jobIds = [getJobId(await short.send(endlessTurn)), getJobId(await long.send(endlessTurn))];
  await Promise.all([short.settled(), long.settled()]);
  let queued = 0;
  const empty = async () => {
    queued = 0;
    await Promise.all([short.forgetUpNext(), long.forgetUpNext()]);
  };
  const samples = await measureSideBySide(
    { warmUp: 2 * queuedPerSession, count },
    {
      short: async () => (await short.send(shortTurn)).ms,
      bare: async () => (await bare.post(shortTurn)).ms,
      long: async () => (await long.send(shortTurn)).ms,
    },
    async () => {
      queued += 1;
      if (queued === queuedPerSession) await empty();
    },
  );
  await empty();
  await Promise.all([short.cancel(jobIds[0] ?? ""), long.cancel(jobIds[1] ?? "")]);
  await Promise.all([short.settled(), long.settled()]);
  return [
    toComparedFinding("send that waits Up next, against the bare POST", samples.short, samples.bare, requestBar),
    toComparedFinding(
      "send that waits Up next, 10,000 messages against few",
      samples.long,
      samples.short,
      longSessionBar,
    ),
  ];
}

/** Measures polls of an ended job, in an idle session. */
export async function measurePolls(session: ProductSession, jobId: string, bare: Bare, rounds: Rounds) {
  const read = await bare.createReader((await session.job(jobId)).bytes);
  const { ours, peer } = await measureSideBySide(rounds, {
    ours: async () => (await session.job(jobId)).ms,
    peer: async () => (await read()).ms,
  });
  return [toComparedFinding("job poll, against the bare GET", ours, peer, requestBar)];
}
