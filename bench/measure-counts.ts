// The calls of single requests to D1 and to objects, in a world with counting bindings.
import type { World } from "../dev/world.ts";
import type { CountedRow } from "./counted-row.ts";
import { type Counts, countsOf, difference } from "./counts.ts";
import { counted, type Finding } from "./finding.ts";
import { openHttpClient } from "./http-client.ts";
import { countCronRuns } from "./measure-cron-runs.ts";
import { countDeploys } from "./measure-deploys.ts";
import { countGiven } from "./measure-given.ts";
import { countNotices, type NoticesSize } from "./measure-notices.ts";
import { countSubscriptions } from "./measure-subscriptions.ts";
import { countWorkspaceStream, type StreamSize } from "./measure-workspace-stream.ts";
import { shortTurn, threeToolTurn } from "./practice-turn.ts";
import { jobIdOf, openProduct } from "./product.ts";

/** The limit: one D1 query for access, and one object call for the response. */
const oncePerRequest = 1;

/** The send; the start; that it runs; the first of four model calls; the end; the save behind it. */
const roundTripsOfTurn = 6;

/** Counts a send that starts a turn, a poll, a message read, a whole warm turn with its effects, and the listeners of a workspace. */
export async function measureCounts(
  world: World,
  stream: StreamSize,
  notices: NoticesSize,
): Promise<{ findings: Finding[]; rows: CountedRow[] }> {
  const product = openProduct(world);
  const client = openHttpClient(world.baseUrl);
  const total = async (of = "all"): Promise<Counts> => JSON.parse((await client.get(`/counts?of=${of}`)).text);
  try {
    const { session, jobId } = await product.create(shortTurn);
    await session.completed(jobId);
    await session.settled();

    const before = await total();
    const send = await session.send(threeToolTurn);
    await session.ended();
    await session.settled();
    const turn = difference(await total(), before);

    const perRequest: CountedRow[] = [
      { what: "send", counts: countsOf(send) },
      { what: "job poll", counts: countsOf(await session.job(jobIdOf(send))) },
      { what: "message read", counts: countsOf(await session.messages()) },
    ];
    const findings = perRequest.flatMap(({ what, counts }) => [
      counted(`${what}: D1 round trips`, counts.roundTrips, "times", oncePerRequest),
      counted(`${what}: object calls`, counts.objectCalls, "times", oncePerRequest),
    ]);
    findings.push(...(await countDeploys({ world, product })));
    findings.push(counted("warm three-tool turn: D1 round trips", turn.roundTrips, "times", roundTripsOfTurn));
    findings.push(...(await countSubscriptions(world, { total })));
    findings.push(...(await countGiven(world, { total })));
    findings.push(...(await countWorkspaceStream(world, stream, total)));
    findings.push(...(await countNotices(world, notices, total)));
    const runs = await countCronRuns(world, { total, headers: product.headers });
    findings.push(...runs.findings);
    return {
      findings,
      rows: [...perRequest, ...runs.rows, { what: "a warm three-tool turn, all in all", counts: turn }],
    };
  } finally {
    product.close();
    client.close();
  }
}
