// Whole turns: a warm one compared with opencode; the first one of a new session, and one that
// opens a pull request, with fixed bars.

import type { Opencode } from "../lib/opencode.ts";
import { threeToolTurn } from "../lib/practice-turn.ts";
import { getJobId, type Product, type ProductSession } from "../lib/product.ts";
import { type Finding, toComparedFinding, toFindingWithoutPeer, toTimedFinding } from "../lib/result.ts";
import { measureSideBySide, type Samples } from "../lib/samples.ts";

const firstTurnBarMs = 3_000;
const openPullRequestBarMs = 2_000;
/** The limit as a fraction of opencode's time. */
const warmTurnBar = 0.5;

/**
 * Creates sessions with a first message, one after the other. Also returns the sessions, whose
 * sandboxes are running.
 */
export async function measureFirstTurns(
  product: Product,
  count: number,
): Promise<{ findings: Finding[]; sessions: ProductSession[] }> {
  const sessions: ProductSession[] = [];
  const samples: Samples = [];
  // The first session warms up the service and is not counted.
  for (let number = 0; number <= count; number++) {
    const startedAt = performance.now();
    const { session, jobId } = await product.create(threeToolTurn);
    await session.completed(jobId);
    if (number > 0) samples.push(performance.now() - startedAt);
    await session.settled();
    sessions.push(session);
  }
  return { findings: [toTimedFinding("first turn of a new session", samples, firstTurnBarMs)], sessions };
}

/** Opens the pull request of each session, with its uncommitted work. */
export async function measureOpenedPullRequests(sessions: ProductSession[]): Promise<Finding[]> {
  const samples: Samples = [];
  for (const session of sessions) {
    const startedAt = performance.now();
    await session.completed(getJobId(await session.send("/svc:open-pr")));
    samples.push(performance.now() - startedAt);
    await session.settled();
  }
  return [toTimedFinding("svc:open-pr, from send to the end of its turn", samples, openPullRequestBarMs)];
}

/**
 * Sends the same turn repeatedly to a session with a running sandbox, and to opencode if it is
 * installed.
 */
export async function measureWarmTurns(
  session: ProductSession,
  opencode: Opencode | null,
  count: number,
): Promise<Finding[]> {
  const own = async () => {
    const startedAt = performance.now();
    await session.completed(getJobId(await session.send(threeToolTurn)));
    const ms = performance.now() - startedAt;
    // Work after the turn must not slow down the peer.
    await session.settled();
    return ms;
  };
  const rounds = { warmUp: 2, count };
  if (!opencode) {
    const { ours } = await measureSideBySide(rounds, { ours: own });
    const note = "no opencode here: put it on the PATH or name it by OPENCODE_BIN";
    return [toFindingWithoutPeer("warm three-tool turn, against opencode serve", ours, warmTurnBar, note)];
  }
  const sides = { ours: own, peer: () => opencode.turn(threeToolTurn) };
  const { ours, peer } = await measureSideBySide(rounds, sides);
  return [toComparedFinding("warm three-tool turn, against opencode serve", ours, peer, warmTurnBar)];
}
