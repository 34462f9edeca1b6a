// The command line of Switchyard.
import { Command, CommanderError } from "@commander-js/extra-typings";
import { createOutput, type Output } from "./command.ts";
import { addAccountCommands } from "./commands/account.ts";
import { addApiCommand } from "./commands/api.ts";
import { addCheckoutCommands } from "./commands/checkout.ts";
import { addSessionCommands } from "./commands/sessions.ts";
import { addWorkCommands } from "./commands/work.ts";
import { exitCodes, getErrorCode, listErrorLines, toErrorData } from "./exit.ts";
import { toShown } from "./print/text.ts";
import { version } from "./version.ts";

const program = new Command("sy")
  .description("Switchyard on the command line: sessions of a coding agent, from start to pull request.")
  .version(version)
  .option("--json", "print the data of the API, for scripts")
  .option("--no-color", "print without colours")
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError("sy --help lists the commands.");

const output = (): Output => createOutput(program.opts().json === true);
// The options of the program make its type its own; the commands need none of them.
const commands = program as unknown as Command;
addAccountCommands(commands, output);
addSessionCommands(commands, output);
addWorkCommands(commands, output);
addCheckoutCommands(commands, output);
addApiCommand(commands, output);

// The reader of a pipe has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Prints an error, and returns its exit code. */
function report(error: unknown): number {
  // Commander has already printed its own: help, the version, or what is wrong.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (output().isJson) process.stderr.write(`${JSON.stringify(toErrorData(error))}\n`);
  else for (const line of listErrorLines(error)) process.stderr.write(`${toShown(line)}\n`);
  return getErrorCode(error);
}
