// The cost of a standard turn: its counts in a world whose bindings and objects count, and dollars
// by the price list.
import { request } from "node:http";
import { join } from "node:path";
import type { World } from "../../practice/local-service.ts";
import { getTotal, getTurnUsage, multiplyUsage, toDollars, usageNames } from "../lib/cost.ts";
import { getThousandTurns } from "../lib/cost-figures.ts";
import type { CountedRow } from "../lib/counted-row.ts";
import { type Counts, getDifference } from "../lib/counts.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { formerLine, ruleLine, runIdleSimulation } from "../lib/idle-simulation.ts";
import { createScript, shortTurn } from "../lib/practice-turn.ts";
import { createProductClient, getJobId, type ProductSession } from "../lib/product.ts";
import { type Finding, toCountedFinding } from "../lib/result.ts";
import { pause } from "../lib/saved-work.ts";
import { createStandardSteps, recordedCounts, spokenPieces, streamedMs } from "../lib/standard-turn.ts";
import { standardRunning } from "../lib/team-month.ts";

export interface MeasuredCost {
  findings: Finding[];
  rows: CountedRow[];
  costs: CostRow[];
}

/** A row of the table of costs. */
export interface CostRow {
  what: string;
  ofOneTurn: number;
  dollarsOfThousand: number;
}

/** The interval at which a turn wrote its text when this measurement was introduced. */
const formerPieceMs = 40;
const formerRowsPerPiece = 5;
/** The number of rows that the standard turn wrote then. */
const formerRows = 2_900;
/**
 * The goal: 80 % fewer rows for the whole turn, and for its text, with the words on the screen
 * within 300 ms.
 */
const rowsBar = 0.2;
const onScreenBarMs = 300;
/** How far a count may exceed the recorded one: effects coincide differently in every run. */
const recordedBar = 1.15;

/** A thousand turns with the rule of the idle tail, and their waits against the former tail. */
const centsBar = 1_000;
const waitsBar = 1.1;

/** Measures in a separate world, whose entry is `bench/lib/counted-worker.ts`. */
export async function measureCost(world: World, stateDir: string): Promise<MeasuredCost> {
  const product = createProductClient(world);
  const client = createHttpClient(world.baseUrl);
  const total = async (): Promise<Counts> => JSON.parse((await client.get("/counts")).text);
  try {
    const { session, jobId } = await product.create(shortTurn);
    await session.completed(jobId);
    const row = world.database.prepare("SELECT sandbox_key AS key FROM sessions WHERE id = ?1").bind(session.id);
    const sandboxKey = (await row.first<string>("key")) ?? "";
    const sleep = async () => {
      await session.settled();
      await pause({ world, stateDir, product }, session, join(stateDir, "sandboxes", sandboxKey));
      await session.settled();
    };

    /** Counts a turn that starts and ends with a paused sandbox. */
    async function count(streams: boolean): Promise<{ counts: Counts; pieces: number }> {
      await sleep();
      const before = await total();
      const watcher = watch(world, session, product.headers);
      const sent = await session.send(createScript(...createStandardSteps({ streams })));
      await session.ended();
      await session.completed(getJobId(sent));
      watcher.leave();
      await sleep();
      return { counts: getDifference(await total(), before), pieces: watcher.pieces() };
    }
    const atOnce = await count(false);
    const streamed = await count(true);

    const countRows = ({ rowsWritten, objectRowsWritten }: Counts) => rowsWritten + objectRowsWritten;
    const streamedRows = countRows(streamed.counts) - countRows(atOnce.counts);
    const formerStreamedRows = (streamedMs / formerPieceMs) * formerRowsPerPiece;
    const usage = getTurnUsage(streamed.counts, standardRunning);
    const dollars = toDollars(multiplyUsage(usage, 1_000));
    const recorded = getTotal(toDollars(getTurnUsage(recordedCounts, standardRunning)));
    const measured = getTotal(dollars) / 1_000;
    return {
      findings: [
        toCountedFinding(
          "standard turn: rows written",
          countRows(streamed.counts),
          "rows",
          Math.min(rowsBar * formerRows, recordedBar * countRows(recordedCounts)),
          `${formerRows} before`,
        ),
        toCountedFinding(
          "standard turn: rows of objects read",
          streamed.counts.objectRowsRead,
          "rows",
          recordedBar * recordedCounts.objectRowsRead,
        ),
        toCountedFinding(
          "standard turn: rows for its streamed text, against pieces of 40 ms",
          streamedRows / formerStreamedRows,
          "times",
          rowsBar,
          `${streamedRows} rows for ${streamed.pieces} pieces, and not ${formerStreamedRows}`,
        ),
        toCountedFinding(
          "standard turn: streamed text a piece",
          streamedMs / (streamed.pieces - spokenPieces),
          "ms",
          onScreenBarMs,
        ),
        toCountedFinding("standard turn: cost against the recorded counts", measured / recorded, "times", recordedBar),
        toCountedFinding("standard turn: cost", measured * 100, "cents", null, "by the price list, nothing included"),
      ],
      rows: [{ what: "a standard turn, from pause to pause", counts: streamed.counts }],
      costs: usageNames
        .filter((name) => usage[name] > 0)
        .map((name) => ({ what: name, ofOneTurn: usage[name], dollarsOfThousand: dollars[name] })),
    };
  } finally {
    product.close();
    client.close();
  }
}

/** Watches the session as a person does. Counts the pieces of text that arrive. */
function watch(world: World, { id }: ProductSession, headers: Record<string, string>) {
  let pieces = 0;
  let rest = "";
  const path = `/api/projects/${world.projectId}/chat-sessions/${id}/events`;
  const asked = request(`${world.baseUrl}${path}`, { headers }, (answer) => {
    answer.setEncoding("utf8");
    answer.on("error", () => {});
    answer.on("data", (part: string) => {
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      pieces += lines.filter((line) => line === "event: delta").length;
    });
  });
  asked.on("error", () => {});
  asked.end();
  return { pieces: () => pieces, leave: () => asked.destroy() };
}

/** Computes, and measures nothing. `docs/cost.md` has the table of all lines. */
export function measureIdleTails(): Finding[] {
  const results = runIdleSimulation();
  const former = results.find(({ name }) => name === formerLine);
  const rule = results.find(({ name }) => name === ruleLine);
  if (!former || !rule) throw new Error("A line of the simulation is missing.");
  const waits = rule.waitSeconds / former.waitSeconds;
  const note = results
    .map(({ name, tailSeconds, waitSeconds }) => {
      const dollars = getThousandTurns(tailSeconds).toFixed(2);
      return `${name}: ${dollars} dollars, ${Math.round(waitSeconds)} s`;
    })
    .join("; ");
  return [
    toCountedFinding("idle tail: 1,000 turns", getThousandTurns(rule.tailSeconds) * 100, "cents", centsBar),
    toCountedFinding("idle tail: waits for wakes, against the former tail", waits, "times", waitsBar, note),
  ];
}
