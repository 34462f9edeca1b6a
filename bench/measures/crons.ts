// Crons compared with bare routes of the same shape, and many crons and runs compared with few.
import type { World } from "../../practice/local-service.ts";
import type { Bare } from "../lib/bare.ts";
import { createCrons, createRuns } from "../lib/cron-rows.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { type Finding, toComparedFinding } from "../lib/result.ts";
import { measureSideBySide, median, type Rounds, type Samples } from "../lib/samples.ts";

export interface CronsSize extends Rounds {
  few: number;
  many: number;
}

const bareBar = 1.5;
const manyBar = 1.3;

/** A typical cron of a person: its prompt has some length. */
export const measuredCron = {
  name: "Nightly look at the logs",
  prompt: "Read the services' logs, and file what looks broken. ".repeat(8),
  cronExpression: "0 3 * * 1-5",
};

const requests = ["created", "read", "listed"] as const;
type Requests = Record<(typeof requests)[number], { own: Samples; bare: Samples }>;

/** Fills the crons of a world, and empties them at the end. */
export async function measureCrons(world: World, bare: Bare, size: CronsSize): Promise<Finding[]> {
  const client = createHttpClient(world.baseUrl, { authorization: `Bearer ${world.users.owner.apiKey}` });
  const crons = `/api/organizations/${world.workspaceId}/crons`;
  const draft = { ...measuredCron, projectIds: [world.projectId] };
  const made: string[] = [];
  const create = async () => {
    const { ms, text } = await client.post(crons, draft);
    made.push(JSON.parse(text).data.id);
    return ms;
  };

  async function sampled(count: number): Promise<Requests> {
    const [cronId] = await createCrons(world, count, draft);
    const { text: ownText } = await client.get(`${crons}/${cronId}`);
    await bare.fillNotes(100, ownText);
    const { id: noteId } = JSON.parse((await bare.notes.make(ownText)).text).data;
    const samples = await measureSideBySide(size, {
      created: create,
      bareCreated: async () => (await bare.makeObject(ownText)).ms,
      read: async () => (await client.get(`${crons}/${cronId}`)).ms,
      bareRead: async () => (await bare.notes.read(noteId)).ms,
      listed: async () => (await client.get(crons)).ms,
      bareListed: async () => (await bare.page()).ms,
    });
    for (const id of made.splice(0)) await client.delete(`${crons}/${id}`);
    return {
      created: { own: samples.created, bare: samples.bareCreated },
      read: { own: samples.read, bare: samples.bareRead },
      listed: { own: samples.listed, bare: samples.bareListed },
    };
  }

  try {
    const few = await sampled(size.few);
    const many = await sampled(size.many);
    return [
      ...requests.map((what) =>
        toComparedFinding(`cron ${what}, against a bare route`, few[what].own, few[what].bare, bareBar),
      ),
      ...requests.map((what) => manyAgainstFew(what, few[what], many[what], size.many)),
      ...(await measureRuns(world, bare, size)),
    ];
  } finally {
    for (const id of made) await client.delete(`${crons}/${id}`);
    await createCrons(world, 0, draft);
    client.close();
  }
}

/**
 * The two were not sampled side by side, so the effect of the machine's load, seen on the bare
 * route, is subtracted.
 */
function manyAgainstFew(what: string, few: Requests["read"], many: Requests["read"], count: number): Finding {
  const drift = median(many.bare) / median(few.bare);
  const name = `cron ${what}, ${count.toLocaleString("en")} crons against few`;
  const note = `few scaled by the bare route's × ${drift.toFixed(2)}`;
  return toComparedFinding(
    name,
    many.own,
    few.own.map((ms) => ms * drift),
    manyBar,
    note,
  );
}

/** Compares lists of a cron with many runs and of one with few, side by side. */
async function measureRuns(world: World, bare: Bare, size: CronsSize): Promise<Finding[]> {
  const client = createHttpClient(world.baseUrl, { authorization: `Bearer ${world.users.owner.apiKey}` });
  const draft = { ...measuredCron, projectIds: [world.projectId] };
  const [few = "", many = ""] = await createCrons(world, size.few, draft);
  await createRuns(world, few, size.few);
  await createRuns(world, many, size.many);
  const list = (cronId: string, query: string) => async () =>
    (await client.get(`/api/organizations/${world.workspaceId}/crons/${cronId}/runs?${query}`)).ms;
  const { text } = await client.get(`/api/organizations/${world.workspaceId}/crons/${few}/runs?pageSize=1`);
  await bare.fillNotes(100, text);
  const filters = { all: "", failed: "status=failed", "of one project": `projectId=${world.projectId}` };
  const findings: Finding[] = [];
  try {
    for (const [filter, query] of Object.entries(filters)) {
      const samples = await measureSideBySide(size, {
        few: list(few, query),
        many: list(many, query),
        bare: async () => (await bare.page()).ms,
      });
      findings.push(
        toComparedFinding(`runs listed, ${filter}, against a bare route`, samples.few, samples.bare, bareBar),
        toComparedFinding(
          `runs listed, ${filter}, ${size.many.toLocaleString("en")} runs against few`,
          samples.many,
          samples.few,
          manyBar,
        ),
      );
    }
    return findings;
  } finally {
    client.close();
  }
}
