// What follows a person between sessions: a turn with 20 skills and 3 plugins, already in its
// sandbox or fetched again, compared with one without any; and the lists of skills and plugins.
import type { World } from "../../practice/local-service.ts";
import type { Bare } from "../lib/bare.ts";
import type { CountReader } from "../lib/count-reader.ts";
import { getDifference, readCounts } from "../lib/counts.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { threeToolTurn } from "../lib/practice-turn.ts";
import { createProductClient, getJobId, type ProductSession } from "../lib/product.ts";
import { type Finding, toComparedFinding, toCountedFinding, toTimedFinding } from "../lib/result.ts";
import { measureSideBySide, median, type Rounds } from "../lib/samples.ts";

export interface GivenSize {
  turns: number;
  newTurns: number;
  lists: Rounds;
}

const turnBar = 1.05;
const newBarMs = 400;
const listBar = 1.5;
/** The query for access, and the list. */
const perList = 2;
const skillsOfTurn = 20;
const skillsOfList = 100;
const pluginsOfList = 1_000;
/** One has an agent and a language server, which the measured turn does not start. */
const plugins = ["timetable", "changelog", "colleagues"].map((name) => `${name}@practice-claude-plugins`);
const skillsPath = "/api/user/skills";
const pluginsPath = "/api/user/plugins";

/** Measures turns and lists. Deletes the skills and plugins at the end. */
export async function measureGiven(world: World, bare: Bare, size: GivenSize): Promise<Finding[]> {
  const opened = await open(world);
  const { having, without } = opened;
  const turn = async (session: ProductSession) => {
    const startedAt = performance.now();
    await session.completed(getJobId(await session.send(threeToolTurn)));
    const ms = performance.now() - startedAt;
    await session.settled();
    return ms;
  };
  try {
    const warm = await measureSideBySide(
      { warmUp: 2, count: size.turns },
      { own: () => turn(having), peer: () => turn(without) },
    );
    const withNew: number[] = [];
    for (let sample = 0; sample < size.newTurns; sample++) {
      await opened.switchAll(false);
      await turn(having);
      await opened.switchAll(true);
      withNew.push((await turn(having)) - median(warm.peer));
    }
    return [
      toComparedFinding("warm turn with 20 skills and 3 plugins, against one without", warm.own, warm.peer, turnBar),
      toTimedFinding("warm turn with 20 skills and 3 plugins, all new, over one without", withNew, newBarMs),
      ...(await measureLists(opened, bare, size.lists)),
    ];
  } finally {
    await opened.close();
  }
}

async function measureLists({ client, fill }: Opened, bare: Bare, rounds: Rounds): Promise<Finding[]> {
  await fill();
  const findings: Finding[] = [];
  for (const [path, count] of [[skillsPath, skillsOfList] as const, [pluginsPath, pluginsOfList] as const]) {
    const { data } = JSON.parse((await client.get(path)).text);
    if (data.length < count) throw new Error(`${path} lists ${data.length}, not ${count}`);
    await bare.fillNotes(data.length, JSON.stringify(data[0]));
    const list = await measureSideBySide(rounds, {
      own: async () => (await client.get(path)).ms,
      bare: async () => (await bare.notes.list(data.length)).ms,
    });
    const name = `GET ${path} with ${count.toLocaleString("en")}, against a bare list of as many rows`;
    findings.push(toComparedFinding(name, list.own, list.bare, listBar));
  }
  return findings;
}

/**
 * Counts the additional calls of a turn with skills and plugins, and the round trips of lists, in a
 * world with counting bindings.
 */
export async function countGiven(world: World, reader: CountReader): Promise<Finding[]> {
  const opened = await open(world);
  const cost = async (session: ProductSession) => {
    const before = await reader.quietTotal();
    await session.send(threeToolTurn);
    await session.ended();
    await session.settled();
    return getDifference(await reader.quietTotal(), before);
  };
  try {
    // The first turn of each fetches its skills and plugins.
    await cost(opened.having);
    await cost(opened.without);
    const more = getDifference(await cost(opened.having), await cost(opened.without));
    await opened.fill();
    const lists = [skillsPath, pluginsPath, `/api/projects/${world.projectId}/skills`];
    const findings: Finding[] = [];
    for (const path of lists) {
      const { roundTrips } = readCounts(await opened.client.get(path));
      const what = path.replace(world.projectId, "{projectId}");
      findings.push(
        toCountedFinding(`GET ${what} with 1,000 plugins and 100 skills: D1 round trips`, roundTrips, "times", perList),
      );
    }
    const calls = ["roundTrips", "objectCalls", "storeCalls"] as const;
    const names = { roundTrips: "D1 round trips", objectCalls: "object calls", storeCalls: "store calls" };
    return [
      ...calls.map((call) =>
        toCountedFinding(`turn with 20 skills and 3 plugins that it has: ${names[call]} more`, more[call], "times", 0),
      ),
      ...findings,
    ];
  } finally {
    await opened.close();
  }
}

type Opened = Awaited<ReturnType<typeof open>>;

/**
 * Opens a session of the owner, who has skills and plugins switched on, and one of an admin, who
 * has none. Both sandboxes run.
 */
async function open(world: World) {
  const [owner, admin] = [createProductClient(world), createProductClient(world, "admin")];
  const client = createHttpClient(world.baseUrl, owner.headers);
  const skills: string[] = [];
  const addSkills = async (count: number) => {
    while (skills.length < count) {
      const { text } = await client.post(skillsPath, { files: createFiles(`measured-${skills.length}`) });
      skills.push(JSON.parse(text).data.id);
    }
  };
  const switchPlugins = (enabled: boolean) =>
    Promise.all(plugins.map((id) => client.patch(`${pluginsPath}/${id}`, { enabled })));
  await addSkills(skillsOfTurn);
  await switchPlugins(true);
  const begin = async (product: typeof owner) => {
    const { session, jobId } = await product.create(threeToolTurn);
    await session.completed(jobId);
    await session.settled();
    return session;
  };
  const [having, without] = [await begin(owner), await begin(admin)];
  return {
    ...{ client, having, without },
    async switchAll(enabled: boolean) {
      await Promise.all(skills.map((id) => client.patch(`${skillsPath}/${id}`, { enabled })));
      await switchPlugins(enabled);
    },
    /** Adds as many skills and plugins as the lists are measured with. */
    async fill() {
      await addSkills(skillsOfList);
      const columns = `marketplace_key, provider, name, marketplace, description, category, author, version, place, source_repository,
        source_path, source_ref, source_sha, read_commit, components, callables, hash, body_key, refusal, due_at, leased_until`;
      await world.database
        .prepare(
          `WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ?1)
           INSERT INTO plugins (id, ${columns}) SELECT 'copy-' || n || '@measured', ${columns} FROM copies, plugins WHERE id = ?2`,
        )
        .bind(pluginsOfList, plugins[0])
        .run();
    },
    async close() {
      await world.database.prepare("DELETE FROM plugins WHERE id LIKE '%@measured'").run();
      await switchPlugins(false);
      for (const id of skills) await client.delete(`${skillsPath}/${id}`);
      client.close();
      owner.close();
      admin.close();
    },
  };
}

function createFiles(name: string) {
  const content = `---\nname: ${name}\ndescription: A measured skill.\n---\n${"Do what is measured. ".repeat(50)}`;
  return [
    { path: "SKILL.md", content },
    { path: "more/notes.md", content: "Notes. ".repeat(200) },
  ];
}
