// Crons: prompts on a schedule, and their runs.
import type { Command } from "@commander-js/extra-typings";
import type { Schemas, Switchyard } from "@switchyard/client";
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
    .option("-w, --workspace <name>", "the workspace, where you have several")
    .action(
      action(async (sy, { workspace }) => {
        const crons = await listCrons(sy, (await findWorkspace(sy, workspace)).id);
        return { data: crons, lines: formatTable(crons.map(toCronRow)) };
      }),
    );

  cron
    .command("show <cron>")
    .description("show a cron and its prompt; it is named by its name, or the end of its id")
    .action(
      action(async (sy, named) => {
        const { path } = await findCron(sy, named);
        const data = await sy.request(`GET ${operation}`, { path });
        return { data, lines: listCronLines(data) };
      }),
    );

  cron
    .command("new <name> [prompt]")
    .description("make a cron; `-` reads the prompt from stdin")
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
    .description("change what is named; the rest stays")
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
    .description("fire no more")
    .action(action(async (sy, named) => await change(sy, named, { enabled: false })));

  cron
    .command("resume <cron>")
    .description("fire again, in the projects that were paused after failures, too")
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
    .description("fire now")
    .option("-p, --project <name...>", "only in these projects")
    .option("--wait", "wait until the runs have ended, and print what they replied")
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
        for (const { runId } of runs) output().note(`run ${toShortId(runId)} started`);
        const ended = await Promise.all(runs.map(({ runId }) => waitForRun(sy, { ...path, runId })));
        process.exitCode = Math.max(...ended.map(({ status }) => getRunCode(status)));
        return { data: ended, lines: ended.flatMap(listRunLines) };
      }),
    );

  cron
    .command("runs <cron> [run]")
    .description("list the runs, the newest first; or show what one replied and filed")
    .option("-n, --limit <count>", "how many", parseCount, 30)
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

/** Follows a run to its end, and reads how it ended. */
async function waitForRun(sy: Switchyard, path: CronPath & { runId: string }): Promise<Schemas["CronRun"]> {
  for await (const { type } of sy.follow(`GET ${operation}/runs/{runId}/events`, { path })) if (type === "end") break;
  return await sy.request(`GET ${operation}/runs/{runId}`, { path });
}

function getRunCode(status: Schemas["CronRunStatus"]): number {
  if (status === "failed") return exitCodes.turnFailed;
  return status === "cancelled" ? exitCodes.stopped : exitCodes.done;
}
