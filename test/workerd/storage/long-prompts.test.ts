// A page of sessions or crons has a bounded number of bytes, in the database and in the response,
// whatever the length of their prompts.
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { deleteCronRows, findCron, listCrons } from "../../../src/cron/queries/crons.ts";
import { writeCronStatements } from "../../../src/cron/queries/writes.ts";
import { createCron } from "../../../src/cron/rules/cron.ts";
import { toWireCron } from "../../../src/cron/wire/cron.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { indexSession } from "../../../src/session/queries/index.ts";
import { listSessions } from "../../../src/session/queries/lists.ts";
import { toWireSummary } from "../../../src/session/wire.ts";
import { sessionState } from "../../support/session-state.ts";

const workspaceId = `ws_${crypto.randomUUID()}`;
const projectId = crypto.randomUUID();
const count = 100;
/** 800,000 bytes, with a word that is searched and one after the part that searches read. */
const createPrompt = (at: number) => `${"😀".repeat(3_000)} early${at} ${"😀".repeat(196_900)} late`;
/** 2,000 characters of 4 bytes, and less than 2,000 bytes for the rest. */
const pageBytesMax = count * 10_000;
const countBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

const cronId = (at: number) => `${workspaceId}-cron-${at}`;
async function planCron(at: number, prompt: string) {
  const draft = { name: "Nightly", prompt, cronExpression: "0 3 * * *", model: null, projects: [] };
  const made = createCron(
    null,
    {
      ...draft,
      id: cronId(at),
      workspaceId,
      createdBy: "usr_1",
      writtenBy: { userId: "usr_1", as: "person" as const },
      zone: "UTC",
    },
    at,
  );
  if (isRefusal(made) || made.state === null) throw new Error("no cron");
  await env.DB.batch(writeCronStatements(env.DB, made.state));
}

beforeAll(async () => {
  for (let at = 0; at < count; at++) {
    const id = `${workspaceId}-${at}`;
    const session = { id, sandboxKey: id, workspaceId, projectId, prompt: createPrompt(at), createdAt: at };
    await indexSession(env.DB, sessionState({ session: { ...session, status: "backlog", assignee: null } }));
    await planCron(at, createPrompt(at));
  }
});

const sessionsWith = async (search: string) => {
  const reach = { kind: "workspace", workspaceId } as const;
  const filter = { workspaceIds: [], projectIds: [], statuses: [], assignee: null, search, needsYou: false };
  const { summaries, total } = await listSessions(env.DB, { reach, projectId: null, filter, page: 1, pageSize: count });
  return { total, page: summaries.map((summary) => toWireSummary(summary, "https://switchyard.example")) };
};
const cronsWith = async (search: string) => {
  const query = { workspaceId, projectId: null, createdBy: null, search, page: 1, pageSize: count };
  const { crons, total } = await listCrons(env.DB, query);
  return { total, page: crons.map((row) => toWireCron(row, "UTC", 0)) };
};

test.each([
  ["sessions", sessionsWith],
  ["crons", cronsWith],
])("a page of %s has the starts of prompts, and says so", async (_, list) => {
  const { total, page } = await list("");
  expect([total, page.length]).toEqual([count, count]);
  expect(page.map(({ prompt, isPromptCut }) => [prompt, isPromptCut])).toEqual(
    page.map(() => ["😀".repeat(2_000), true]),
  );
  expect(countBytes(page)).toBeLessThan(pageBytesMax);
});

test.each([
  ["sessions", sessionsWith],
  ["crons", cronsWith],
])("a search of %s finds what is early in a prompt", async (_, list) => {
  expect([(await list("EARLY")).total, (await list(" early7 ")).total, (await list("late")).total]).toEqual([
    ...[count, 1, 0],
  ]);
});

test.each(["sessions", "crons"])("the rows of %s that lists and searches read are bounded", async (table) => {
  const names = await env.DB.prepare(`SELECT name FROM pragma_table_info('${table}')`).all<{ name: string }>();
  const bytes = names.results.map(({ name }) => `ifnull(length(CAST(${name} AS BLOB)), 0)`).join(" + ");
  const largest = `SELECT max(${bytes}) AS bytes FROM ${table} WHERE workspace_id = ?1`;
  // The start of the prompt, and what searches read, in characters of 4 bytes.
  expect(await env.DB.prepare(largest).bind(workspaceId).first("bytes")).toBeLessThan(4 * (2_000 + 4_000) + 2_000);
});

test("the read of one cron has the whole prompt, also after it was changed, and none is left after its deletion", async () => {
  const shown = async () => {
    const row = await findCron(env.DB, cronId(0));
    return row && [row.prompt, row.isPromptCut];
  };
  const kept = async () =>
    await env.DB.prepare("SELECT count(*) AS rows FROM cron_prompts WHERE cron_id = ?1").bind(cronId(0)).first("rows");
  expect(await shown()).toEqual([createPrompt(0), false]);
  await planCron(0, `${createPrompt(0)}!`);
  expect([await shown(), await kept()]).toEqual([[`${createPrompt(0)}!`, false], 1]);
  await planCron(0, "Short.");
  expect([await shown(), await kept()]).toEqual([["Short.", false], 0]);
  await planCron(0, createPrompt(0));
  await deleteCronRows(env.DB, cronId(0));
  expect([await shown(), await kept()]).toEqual([null, 0]);
});
