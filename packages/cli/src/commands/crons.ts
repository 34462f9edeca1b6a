// Crons: prompts on a schedule, and their runs.
import { setTimeout } from "node:timers/promises";
import type { Command } from "@commander-js/extra-typings";
import { GaveUpError, type Schemas, type Switchyard, SwitchyardError } from "@switchyard/client";
import { type Action, createAction } from "../action.ts";
import { type Output, parseCount, readText, readTextFile } from "../command.ts";
import { exitCodes, NotFoundError, UsageError } from "../exit.ts";
import { type CronPath, findCron, findProject, findWorkspace, listCrons } from "../find.ts";
import { listCronLines, listRunLines, toCronRow, toRunRow } from "../print/cron.ts";
import { toShortId } from "../print/session.ts";
import { formatTable, toLine } from "../print/text.ts";

const operation = "/api/organizations/{workspaceId}/crons/{cronId}";

/** Adds `cron`. */
export function addCronCommands(program: Command, output: () => Output): void {
  const cron = program.command("cron").description("prompts on a schedule, and their runs");
  const action = createAction(output);

  cron
    .command("ls")
    .description("list the crons of a workspace")
    .option("-w, --workspace <name>", "the workspace, if you have several")
    .action(
      action(async (sy, { workspace }) => {
        const crons = await listCrons(sy, (await findWorkspace(sy, workspace)).id);
        return { data: crons, lines: formatTable(crons.map(toCronRow)) };
      }),
    );

  cron
    .command("show <cron>")
    .description("show a cron and its prompt, by its name or the end of its id")
    .action(
      action(async (sy, named) => {
        const { path } = await findCron(sy, named);
        const data = await sy.request(`GET ${operation}`, { path });
        return { data, lines: listCronLines(data) };
      }),
    );

  cron
    .command("new <name> [prompt]")
    .description("create a cron; `-` reads the prompt from stdin")
    .requiredOption("--schedule <expression>", "five fields in the time zone of the workspace, such as '0 9 * * 1'")
    .option("-p, --project <name...>", "its projects; that of the folder by default")
    .option("-f, --file <path>", "read the prompt from a file")
    .option("-m, --model <id>", "the model of its runs")
    .action(
      action(async (sy, name, prompt, { schedule, file, model, ...named }) => {
        const projects = await findProjects(sy, named.project);
        const [first] = projects;
        const data = await sy.request("POST /api/organizations/{workspaceId}/crons", {
          path: { workspaceId: first?.orgId ?? "" },
          body: {
            ...{ name, cronExpression: schedule, projectIds: projects.map(({ id }) => id) },
            prompt: file ? await readTextFile(file, "a prompt") : await readText(prompt, "a prompt"),
            ...(model && { model }),
          },
          idempotencyKey: crypto.randomUUID(),
        });
        return { data, lines: listCronLines(data) };
      }),
    );

  cron
    .command("edit <cron>")
    .description("change the named settings of a cron")
    .option("--name <text>", "its name")
    .option("--schedule <expression>", "its schedule")
    .option("-p, --project <name...>", "all of its projects")
    .option("-f, --file <path>", "its prompt, from a file, or from stdin with `-`")
    .option("-m, --model <id>", "the model of its runs")
    .action(
      action(async (sy, named, { name, schedule, project, file, model }) => {
        const body = {
          ...(name && { name }),
          ...(schedule && { cronExpression: schedule }),
          ...(project && { projectIds: (await findProjects(sy, project)).map(({ id }) => id) }),
          ...(file && { prompt: await readTextFile(file, "a prompt") }),
          ...(model && { model }),
        };
        if (Object.keys(body).length === 0) throw new UsageError("Name what to change. → sy cron edit --help");
        return await change(sy, named, body);
      }),
    );

  cron
    .command("pause <cron>")
    .description("pause a cron")
    .action(action(async (sy, named) => await change(sy, named, { enabled: false })));

  cron
    .command("resume <cron>")
    .description("resume a cron, also in projects that were paused after failures")
    .action(
      action(async (sy, named) => {
        const { path, cron: found } = await findCron(sy, named);
        for (const { id: projectId, pausedAt } of found.projects)
          if (pausedAt !== null)
            await sy.request(`POST ${operation}/projects/{projectId}/resume`, { path: { ...path, projectId } });
        return await change(sy, named, { enabled: true });
      }),
    );

  addRunCommands(cron as unknown as Command, action, output);
}

function addRunCommands(cron: Command, action: Action, output: () => Output): void {
  cron
    .command("run <cron>")
    .description("fire a cron now")
    .option("-p, --project <name...>", "only in these projects")
    .option("--wait", "wait until the runs have ended, and print their Replies")
    .action(
      action(async (sy, named, { project, wait }) => {
        const { path, cron: fired } = await findCron(sy, named);
        const projectIds = project && (await findProjects(sy, project)).map(({ id }) => id);
        const { runs } = await sy.request(`POST ${operation}/run`, {
          ...{ path, idempotencyKey: crypto.randomUUID() },
          ...(projectIds && { body: { projectIds } }),
        });
        if (!wait) {
          const next = `→ sy cron runs ${toShortId(fired.id)}`;
          return { data: runs, lines: [...runs.map(({ runId, status }) => `${toShortId(runId)}  ${status}`), next] };
        }
        for (const { runId, status } of runs)
          output().note(`run ${toShortId(runId)} ${status === "queued" ? "waits for its start" : "started"}`);
        const waits = await Promise.allSettled(runs.map((run) => waitForRun(sy, path, run)));
        const ended = waits.flatMap((wait) => (wait.status === "fulfilled" ? [wait.value] : []));
        const lost = waits.find((wait) => wait.status === "rejected");
        process.exitCode = Math.max(exitCodes.done, ...ended.map(({ status }) => getRunCode(status)));
        // The replies of the other runs are printed first.
        if (!lost || ended.length > 0) output().answer(ended, ended.flatMap(listRunLines));
        if (lost) throw lost.reason;
        return null;
      }),
    );

  cron
    .command("runs <cron> [run]")
    .description("list the runs, newest first, or show the Reply and filed sessions of one")
    .option("-n, --limit <count>", "the maximum number", parseCount, 30)
    .action(
      action(async (sy, named, run, { limit }) => {
        const { path } = await findCron(sy, named);
        const runs = await listRuns(sy, path, run === undefined ? limit : runPageSize);
        if (run === undefined) return { data: runs, lines: formatTable(runs.map(toRunRow)) };
        const found = runs.find(({ id }) => id.endsWith(run));
        if (!found)
          throw new NotFoundError(`There is no run ${run} among the newest 100.`, `sy cron runs ${toLine(named)}`);
        const data = await sy.request(`GET ${operation}/runs/{runId}`, { path: { ...path, runId: found.id } });
        return { data, lines: listRunLines(data) };
      }),
    );
}

const runPageSize = 100;

/** The newest runs of a cron. */
async function listRuns(sy: Switchyard, path: CronPath, limit: number): Promise<Schemas["CronRunRow"][]> {
  const found: Schemas["CronRunRow"][] = [];
  for (let page = 1; ; page += 1) {
    const query = { page, pageSize: Math.min(limit, runPageSize) };
    const { runs, total } = await sy.request(`GET ${operation}/runs`, { path, query });
    found.push(...runs);
    if (runs.length === 0 || found.length >= Math.min(total, limit)) return found.slice(0, limit);
  }
}

async function change(sy: Switchyard, named: string, body: Partial<Schemas["Cron"]>) {
  const { path } = await findCron(sy, named);
  const data = await sy.request(`PATCH ${operation}`, { path, body });
  return { data, lines: listCronLines(data) };
}

async function findProjects(sy: Switchyard, named: readonly string[] | undefined): Promise<Schemas["Project"][]> {
  return await Promise.all((named ?? [undefined]).map((one) => findProject(sy, one)));
}

const lookEveryMs = 1_000;
/** The service abandons a run that does not start within two minutes. It can be read after that. */
const longestQueuedMs = 130_000;

/**
 * Follows a run to its end, and reads how it ended. A queued run cannot be followed or read before
 * it starts, so it is looked for again.
 */
async function waitForRun(sy: Switchyard, cron: CronPath, run: Schemas["FiredRun"]): Promise<Schemas["CronRun"]> {
  const path = { ...cron, runId: run.runId };
  const until = Date.now() + longestQueuedMs;
  for (;;) {
    try {
      for await (const { type } of sy.follow(`GET ${operation}/runs/{runId}/events`, { path }))
        if (type === "end") break;
      return await sy.request(`GET ${operation}/runs/{runId}`, { path });
    } catch (error) {
      const isMissing = error instanceof SwitchyardError && error.failure.code === "NOT_FOUND";
      if (run.status !== "queued" || !isMissing) throw error;
      if (Date.now() >= until)
        throw new GaveUpError(
          `Run ${toShortId(run.runId)} has not started.\n→ sy cron runs ${toShortId(cron.cronId)}`,
          run,
        );
      await setTimeout(lookEveryMs);
    }
  }
}

function getRunCode(status: Schemas["CronRunStatus"]): number {
  if (status === "failed") return exitCodes.turnFailed;
  return status === "cancelled" ? exitCodes.stopped : exitCodes.done;
}
