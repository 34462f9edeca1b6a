// The Deploy Chat compared with a session's chat, with few messages and with ten thousand; and the
// list of Deploys with as many.
import { demoRepository } from "../../practice/seed.ts";
import { createProjectClient, type DeployedProject } from "../lib/deployed-project.ts";
import { createHttpClient, type Reply } from "../lib/http-client.ts";
import { createHistorySql } from "../lib/long-history.ts";
import { endlessTurn, shortTurn } from "../lib/practice-turn.ts";
import { getJobId, type ProductSession } from "../lib/product.ts";
import { type Finding, toComparedFinding } from "../lib/result.ts";
import { measureSideBySide, median, type Rounds } from "../lib/samples.ts";
import type { Bench } from "../lib/saved-work.ts";
import { connectOwner } from "./projects.ts";

export interface DeployChatSize {
  reads: Rounds;
  longReads: Rounds;
  queued: number;
}

/** Relative to a session's chat, and of a long chat relative to a short one. */
const bar = 1.2;
const manyMessages = 10_000;
const manyDeploys = 10_000;
const deploysOnPage = 25;
/** Less than the size of Up next. */
const queuedAtOnce = 15;

/**
 * Compares the Deploy Chats of the demo project, with few messages, and of another project, with
 * many, with the chats of sessions of the same lengths.
 */
export async function measureDeployChat(bench: Bench, size: DeployChatSize): Promise<Finding[]> {
  const { world, product } = bench;
  const client = createHttpClient(world.baseUrl, product.headers);
  const few = createProjectClient(bench, client, world.projectId);
  await connectOwner(world.database, world.users.owner.id);
  const draft = { orgId: world.workspaceId, name: "Long", repository: demoRepository };
  const made = JSON.parse((await client.post("/api/projects", draft)).text).data.id;
  const many = createProjectClient(bench, client, made);
  await many.change(await few.settings());
  await Promise.all([few.deploy(), many.deploy()]);
  await fillDeploys(few, deploysOnPage);
  await fillDeploys(many, manyDeploys);
  const { session: short } = await product.create();
  const { session: long } = await product.create();
  try {
    const held = JSON.parse((await few.messages()).text).data.messages.length;
    const missing = manyMessages - JSON.parse((await many.messages()).text).data.messages.length;
    await short.fill(held);
    await long.fill(manyMessages);
    for (const statement of createHistorySql(missing)) await many.inObject(statement);
    await many.inObject(
      `INSERT OR IGNORE INTO deploy_turns (turn_id, deploy_id)
       SELECT DISTINCT turn_id, (SELECT id FROM deploys ORDER BY number DESC LIMIT 1) FROM messages WHERE role <> 'system'`,
    );
    const ofChat = async (chat: { messages(): Promise<Reply> }) => (await chat.messages()).ms;
    const reads = await measureSideBySide(size.reads, { few: () => ofChat(few), short: () => ofChat(short) });
    const longReads = await measureSideBySide(size.longReads, { many: () => ofChat(many), long: () => ofChat(long) });
    const lists = await measureSideBySide(size.reads, {
      few: async () => (await few.list()).ms,
      many: async () => (await many.list()).ms,
    });
    const pages = [await few.list(), await many.list()];
    const listed = pages.map(({ text, bytes }) => `${JSON.parse(text).data.length} rows of ${bytes} bytes`);
    if (listed[0] !== listed[1]) throw new Error(`pages of different length are compared: ${listed.join(", ")}`);
    const queued = await measureQueue({ few, many, short }, size.queued);
    const messages = `${Math.round((await many.messages()).bytes / 1_024)} KB`;
    return [
      toComparedFinding("Deploy Chat read, few messages, against a session's", reads.few, reads.short, bar),
      toComparedFinding(
        "Deploy Chat read, 10,000 messages, against a session's",
        longReads.many,
        longReads.long,
        bar,
        messages,
      ),
      toComparedFinding(
        "Deploys listed, 10,000 against few",
        lists.many,
        lists.few,
        bar,
        `${median(lists.many).toFixed(1)} ms`,
      ),
      ...queued,
    ];
  } finally {
    for (const session of [short, long]) await client.delete(`/api/projects/${few.id}/chat-sessions/${session.id}`);
    await many.delete();
    client.close();
  }
}

/**
 * Measures messages that wait in Up next, while the turns of all three chats sleep in their
 * sandboxes.
 */
async function measureQueue(
  { few, many, short }: { few: DeployedProject; many: DeployedProject; short: ProductSession },
  count: number,
): Promise<Finding[]> {
  const jobId = getJobId(await short.send(endlessTurn));
  for (const project of [few, many]) await project.say(endlessTurn);
  await Promise.all([few.works(), many.works(), short.started(jobId)]);
  let waiting = 0;
  const empty = async () => {
    waiting = 0;
    await Promise.all([few.emptyQueue(), many.emptyQueue(), short.forgetUpNext()]);
  };
  const rounds = { warmUp: 2 * queuedAtOnce, count };
  const between = async () => {
    waiting += 1;
    if (waiting === queuedAtOnce) await empty();
  };
  const say = async (project: DeployedProject) => (await project.say(shortTurn)).ms;
  // Two at a time, so that each side follows itself as often as it follows the other: a session's
  // message is indexed after its response.
  const beside = await measureSideBySide(
    rounds,
    { few: () => say(few), session: async () => (await short.send(shortTurn)).ms },
    between,
  );
  await empty();
  const long = await measureSideBySide(rounds, { many: () => say(many), few: () => say(few) }, between);
  await empty();
  await Promise.all([few.cancel(), many.cancel(), short.cancel(jobId)]);
  return [
    toComparedFinding("Deploy Chat message that waits Up next, against a session's", beside.few, beside.session, bar),
    toComparedFinding("Deploy Chat message that waits Up next, 10,000 messages against few", long.many, long.few, bar),
  ];
}

/**
 * Gives a project older Deploys. The object numbers its own from 1, so these have lower numbers.
 */
async function fillDeploys(project: DeployedProject, count: number): Promise<void> {
  await project.inObject(
    `INSERT INTO deploys (id, number, "trigger", status, is_promoted, is_update, has_agent_run, phase_id, is_switching, problems, created_at, started_at, completed_at)
     WITH RECURSIVE past(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM past WHERE n < ${count - 1})
     SELECT printf('00000000-0000-7000-8000-%012d', n), -n, 'user', 'deployed', 1, 0, 0, '', 0, '[]', 1700000000000 - n, 1700000000000 - n, 1700000000000 - n
     FROM past`,
  );
}
