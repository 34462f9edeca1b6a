// Triggers: messages that a project sends by itself, and their runs.
import type { Command } from "@commander-js/extra-typings";
import { type Input, type Schemas, toVisible } from "@switchyard/client";
import { createAction } from "../action.ts";
import { type Output, parseCount, parseJson, readTextFile } from "../command.ts";
import { findProject, projectFlag } from "../find.ts";
import { formatTable, toLine } from "../print/text.ts";
import { formatTime } from "../print/time.ts";

const path = "/api/projects/{projectId}/triggers";

/** Adds `triggers`. */
export function addTriggersCommands(program: Command, output: () => Output): void {
  const triggers = program.command("triggers").description("manage the messages that a project sends by itself");
  const action = createAction(output);

  triggers
    .command("get")
    .description("print the triggers and their version as JSON")
    .option(...projectFlag)
    .action(
      action(async (sy, { project }) => {
        const { id: projectId } = await findProject(sy, project);
        const data = await sy.request(`GET ${path}`, { path: { projectId } });
        return { data, lines: [toVisible(JSON.stringify(data, null, 2))] };
      }),
    );

  triggers
    .command("put <file>")
    .description("replace all triggers by those of a file, with the version that `get` printed")
    .option(...projectFlag)
    .action(
      action(async (sy, file, { project }) => {
        // The service checks what the file has, and says which field is wrong.
        const body = parseJson(await readTextFile(file, "the triggers")) as Input<`PUT ${typeof path}`>["body"];
        const { id: projectId, name } = await findProject(sy, project);
        const data = await sy.request(`PUT ${path}`, { path: { projectId }, body });
        const lacking = data.triggers.flatMap(({ name: ofTrigger, lacks }) =>
          lacks.length === 0
            ? []
            : [`${toLine(ofTrigger)} does not run yet, or cannot answer. The app lacks: ${lacks.join(", ")}`],
        );
        return { data, lines: [`The triggers of ${toVisible(name)} are replaced. → sy triggers runs`, ...lacking] };
      }),
    );

  triggers
    .command("try <event> <file>")
    .description("show what the triggers would do with an event: `http`, or the name of a GitHub event")
    .option(...projectFlag)
    .action(
      action(async (sy, event, file, { project }) => {
        const payload = parseJson(await readTextFile(file, "the payload"));
        const { id: projectId } = await findProject(sy, project);
        const { triggers: known } = await sy.request(`GET ${path}`, { path: { projectId } });
        const data = await sy.request(`POST ${path}/try`, { path: { projectId }, body: { event, payload } });
        const rows = data.triggers.map(({ triggerId, matches, action: does, reason }) => [
          toLine(known.find(({ id }) => id === triggerId)?.name ?? triggerId),
          reason === null ? does : `${matches ? "skipped" : "no match"}: ${reason}`,
        ]);
        return { data, lines: formatTable(rows) };
      }),
    );

  triggers
    .command("runs")
    .description("list the runs of triggers, newest first")
    .option(...projectFlag)
    .option("-n, --limit <count>", "the maximum number", parseCount, 30)
    .action(
      action(async (sy, { project, limit }) => {
        const { id: projectId } = await findProject(sy, project);
        const input = { path: { projectId }, query: { pageSize: Math.min(limit, 100) } };
        const data: Schemas["TriggerRun"][] = [];
        for await (const run of sy.pages("GET /api/projects/{projectId}/trigger-runs", input)) {
          data.push(run);
          if (data.length >= limit) break;
        }
        const rows = data.map(({ createdAt, triggerName, outcome, reason, sessionId }) => [
          formatTime(createdAt),
          toLine(triggerName),
          reason === null ? (outcome ?? "runs") : `${outcome}: ${reason}`,
          sessionId?.slice(-6) ?? "",
        ]);
        return { data, lines: formatTable(rows) };
      }),
    );
}
