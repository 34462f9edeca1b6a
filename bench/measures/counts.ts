// The calls of single requests to D1 and to objects, in a world with counting bindings.
import type { World } from "../../practice/local-service.ts";
import { type CountReader, createCountReader } from "../lib/count-reader.ts";
import type { CountedRow } from "../lib/counted-row.ts";
import { type Counts, getDifference, readCounts } from "../lib/counts.ts";
import { shortTurn, threeToolTurn } from "../lib/practice-turn.ts";
import { createProductClient, getJobId, type Product } from "../lib/product.ts";
import { type Finding, toCountedFinding } from "../lib/result.ts";
import { countCronRuns } from "./cron-runs.ts";
import { countDeploys } from "./deploys.ts";
import { countNotifications, type NotificationsSize } from "./notifications.ts";
import { countSubscriptions } from "./subscriptions.ts";
import { countGiven } from "./turn-assets.ts";
import { countWorkspaceStream, type StreamSize } from "./workspace-stream.ts";

/** The limit: one D1 query for access, and one object call for the response. */
const oncePerRequest = 1;

/** The send; the start, with what the model calls need; the report that it runs; the end. */
const roundTripsOfTurn = 4;

/**
 * Counts a send that starts a turn, a poll, a message read, a whole warm turn with its effects, and
 * the listeners of a workspace.
 */
export async function measureCounts(
  world: World,
  stream: StreamSize,
  notices: NotificationsSize,
): Promise<{ findings: Finding[]; rows: CountedRow[] }> {
  const product = createProductClient(world);
  const reader = createCountReader(world);
  try {
    const { session, send, turn } = await countWarmTurn(product, reader);
    const perRequest: CountedRow[] = [
      { what: "send", counts: readCounts(send) },
      { what: "job poll", counts: readCounts(await session.job(getJobId(send))) },
      { what: "message read", counts: readCounts(await session.messages()) },
    ];
    const findings = perRequest.flatMap(({ what, counts }) => [
      toCountedFinding(`${what}: D1 round trips`, counts.roundTrips, "times", oncePerRequest),
      toCountedFinding(`${what}: object calls`, counts.objectCalls, "times", oncePerRequest),
    ]);
    findings.push(...(await countDeploys({ world, product })));
    // The project is deployed now: its pool creates the next spare while the session runs, and its
    // main sandbox runs too.
    const { turn: turnOfDeployed } = await countWarmTurn(product, reader);
    for (const [what, { roundTrips }] of [
      ["warm three-tool turn", turn],
      ["warm three-tool turn of a deployed project", turnOfDeployed],
    ] as const)
      findings.push(toCountedFinding(`${what}: D1 round trips`, roundTrips, "times", roundTripsOfTurn));
    findings.push(...(await countSubscriptions(world, reader)));
    findings.push(...(await countGiven(world, reader)));
    findings.push(...(await countWorkspaceStream(world, stream, reader.total)));
    findings.push(...(await countNotifications(world, notices, reader.total)));
    const runs = await countCronRuns(world, { total: reader.total, headers: product.headers });
    findings.push(...runs.findings);
    return {
      findings,
      rows: [...perRequest, ...runs.rows, { what: "a warm three-tool turn, all in all", counts: turn }],
    };
  } finally {
    product.close();
    reader.close();
  }
}

/**
 * Counts the second turn of a new session. The service is quiet before and after it. If the project
 * is deployed, the session took a spare, and the pool makes its own calls to D1 and objects while
 * it creates the next.
 */
async function countWarmTurn(product: Product, reader: CountReader) {
  const { session, jobId } = await product.create(shortTurn);
  await session.completed(jobId);
  await session.settled();
  const before = await reader.quietTotal();
  const send = await session.send(threeToolTurn);
  await session.ended();
  await session.settled();
  const turn: Counts = getDifference(await reader.quietTotal(), before);
  return { session, send, turn };
}
