// Triggers: messages that a project sends by itself, and their runs.
import type { Command } from "@commander-js/extra-typings";
import type { Input } from "@switchyard/client";
import { createAction } from "../action.ts";
import { type Output, parseJson, readTextFile } from "../command.ts";
import { findProject, projectFlag } from "../find.ts";
import { formatTable, toLine, toShown } from "../print/text.ts";
import { formatTime } from "../print/time.ts";

const path = "/api/projects/{projectId}/triggers";

/** Adds `triggers`. */
export function addTriggersCommands(program: Command, output: () => Output): void {
  const triggers = program.command("triggers").description("the messages that a project sends by itself");
  const action = createAction(output);

  triggers
    .command("get")
    .description("print them as JSON, with their version")
    .option(...projectFlag)
    .action(
      action(async (sy, { project }) => {
        const { id: projectId } = await findProject(sy, project);
        const data = await sy.request(`GET ${path}`, { path: { projectId } });
        return { data, lines: [toShown(JSON.stringify(data, null, 2))] };
      }),
    );

  triggers
    .command("put <file>")
    .description("replace them all by those of a file; its version is the one that `get` printed")
    .option(...projectFlag)
    .action(
      action(async (sy, file, { project }) => {
        // The service checks what the file has, and says which field is wrong.
        const body = parseJson(await readTextFile(file, "the triggers")) as Input<`PUT ${typeof path}`>["body"];
        const { id: projectId, name } = await findProject(sy, project);
        const data = await sy.request(`PUT ${path}`, { path: { projectId }, body });
        return { data, lines: [`The triggers of ${toShown(name)} are replaced. → sy triggers runs`] };
      }),
    );

  triggers
    .command("runs")
    .description("list their runs, newest first")
    .option(...projectFlag)
    .action(
      action(async (sy, { project }) => {
        const { id: projectId } = await findProject(sy, project);
        const data = await sy.request("GET /api/projects/{projectId}/trigger-runs", { path: { projectId } });
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
