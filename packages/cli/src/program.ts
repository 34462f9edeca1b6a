// All commands, and the options that each of them takes.
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
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

const sessionNames = `names a session: its id or the end of it (six characters or
more), its branch, pr:12, #12, or its address`;
const withoutId = "Without it, the session of the branch in this folder is meant.";

const help = `
ID ${sessionNames}.
${withoutId}

In scripts, set SWITCHYARD_URL and SWITCHYARD_API_KEY in place of \`sy login\`.
Exit codes: 0 done, 1 refused or broken, 2 wrong usage, 77 not signed in or not
allowed, 124 the timeout has passed, 130 ^C. With --wait, and of \`sy wait
--exit-status\`: 3 the turn failed, 4 it asks, 5 a limit, 6 it was stopped.`;

/**
 * Names the help of each command after a wrong call of it, and says in that help what names a
 * session.
 */
function explainCommands(parent: CommandUnknownOpts, path: string): void {
  for (const command of parent.commands) {
    const own = `${path} ${command.name()}`;
    explainCommands(command, own);
    command.showHelpAfterError(`${own} --help ${command.commands.length > 0 ? "lists the commands" : "explains it"}.`);
    const id = command.registeredArguments.find((argument) => argument.name() === "id");
    if (id) command.addHelpText("after", `\nid ${sessionNames}.${id.required ? "" : `\n${withoutId}`}`);
  }
}

export interface Program {
  program: Command;
  output(): Output;
}

/** Creates the program, which knows its output once it has parsed the arguments. */
export function createProgram(): Program {
  const program = new Command("sy")
    .description("Start, follow and review sessions of a coding agent.")
    .version(version)
    .option("--json", "print the data of the API, for scripts")
    .option("--no-color", "print without colours")
    .option("--debug", "print each request on stderr, without its key")
    .exitOverride()
    // With `--json`, `report` in main.ts prints what is wrong.
    .configureOutput({ writeErr: (text) => void (output().isJson || process.stderr.write(text)) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("sy --help lists the commands.")
    .hook("preAction", (called) => {
      if (called.opts().debug) startTracing();
    });
  const output = (): Output => createOutput(program.opts().json === true);
  // The options of the program make its type its own; the commands need none of them.
  const commands = program as unknown as Command;
  for (const add of rooms) add(commands, output);
  commands.addHelpText("after", help);
  explainCommands(commands, commands.name());
  return { program: commands, output };
}
