// The settings of a project: its setup, its services and its environment.
import type { Command } from "@commander-js/extra-typings";
import { type Input, toVisible } from "@switchyard/client";
import { createAction } from "../action.ts";
import { type Output, parseJson, readTextFile } from "../command.ts";
import { findProject, projectFlag } from "../find.ts";

/** Adds `settings`. */
export function addSettingsCommands(program: Command, output: () => Output): void {
  const settings = program.command("settings").description("manage the settings of a project");
  const action = createAction(output);

  settings
    .command("get")
    .description("print the settings as JSON, with masked values of the environment")
    .option(...projectFlag)
    .action(
      action(async (sy, { project }) => {
        const { id: projectId } = await findProject(sy, project);
        const data = await sy.request("GET /api/projects/{projectId}/settings", { path: { projectId } });
        return { data, lines: [toVisible(JSON.stringify(data, null, 2))] };
      }),
    );

  settings
    .command("put <file>")
    .description("replace all settings by those of a file; masked values stay as they are")
    .option(...projectFlag)
    .action(
      action(async (sy, file, { project }) => {
        // The service checks what the file has, and says which field is wrong.
        const body = parseJson(
          await readTextFile(file, "the settings"),
        ) as Input<"PUT /api/projects/{projectId}/settings">["body"];
        const { id: projectId, name } = await findProject(sy, project);
        const data = await sy.request("PUT /api/projects/{projectId}/settings", { path: { projectId }, body });
        return { data, lines: [`The settings of ${toVisible(name)} are replaced. → sy deploy start`] };
      }),
    );
}
