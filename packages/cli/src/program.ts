// All commands, and the options that each of them takes.
import { Command } from "@commander-js/extra-typings";
import { createOutput, type Output } from "./command.ts";
import { addAccountCommands } from "./commands/account.ts";
import { addActivityCommands } from "./commands/activity.ts";
import { addApiCommand } from "./commands/api.ts";
import { addArtifactsCommand } from "./commands/artifacts.ts";
import { addCheckoutCommands } from "./commands/checkout.ts";
import { addCommentCommand } from "./commands/comment.ts";
import { addCronCommands } from "./commands/crons.ts";
import { addDeployCommands } from "./commands/deploys.ts";
import { addKeysCommands } from "./commands/keys.ts";
import { addMachineCommands } from "./commands/machine.ts";
import { addMcpCommand } from "./commands/mcp.ts";
import { addSearchCommand } from "./commands/search.ts";
import { addSessionCommands } from "./commands/sessions.ts";
import { addSettingsCommands } from "./commands/settings.ts";
import { addSkillsCommands } from "./commands/skills.ts";
import { addTriggersCommands } from "./commands/triggers.ts";
import { addUsageCommand } from "./commands/usage.ts";
import { addWebhooksCommands } from "./commands/webhooks.ts";
import { addWorkCommands } from "./commands/work.ts";
import { startTracing } from "./trace.ts";
import { version } from "./version.ts";

const rooms = [
  addAccountCommands,
  addSessionCommands,
  addWorkCommands,
  addCommentCommand,
  addArtifactsCommand,
  addCheckoutCommands,
  addCronCommands,
  addDeployCommands,
  addSearchCommand,
  addActivityCommands,
  addUsageCommand,
  addSettingsCommands,
  addSkillsCommands,
  addKeysCommands,
  addTriggersCommands,
  addWebhooksCommands,
  addApiCommand,
  addMachineCommands,
  addMcpCommand,
];

export interface Program {
  program: Command;
  output(): Output;
}

/** Creates the program, which knows its output once it has parsed the arguments. */
export function createProgram(): Program {
  const program = new Command("sy")
    .description("Switchyard on the command line: sessions of a coding agent, from start to pull request.")
    .version(version)
    .option("--json", "print the data of the API, for scripts")
    .option("--no-color", "print without colours")
    .option("--debug", "print each request on stderr, without its key")
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("sy --help lists the commands.")
    .hook("preAction", (called) => {
      if (called.opts().debug) startTracing();
    });
  const output = (): Output => createOutput(program.opts().json === true);
  // The options of the program make its type its own; the commands need none of them.
  const commands = program as unknown as Command;
  for (const add of rooms) add(commands, output);
  return { program: commands, output };
}
