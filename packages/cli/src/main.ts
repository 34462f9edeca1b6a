// The command line of Switchyard.

import { CommanderError } from "@commander-js/extra-typings";
import { toVisible } from "@switchyard/client";
import { findAgeNote } from "./age.ts";
import { exitCodes, getErrorCode, listErrorLines, toErrorData, UsageError } from "./exit.ts";
import { toLine, toStyled } from "./print/text.ts";
import { createProgram } from "./program.ts";

const { program, output } = createProgram();

// The reader of a pipe has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
const age = output().isJson ? null : await findAgeNote();
if (age !== null) process.stderr.write(`${toStyled("yellow", toLine(age), process.stderr)}\n`);

/** Prints an error, and returns its exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done;
    // For people, Commander has already printed what is wrong, or the help.
    return output().isJson ? report(new UsageError(explainCall(error))) : exitCodes.usage;
  }
  if (output().isJson) process.stderr.write(`${JSON.stringify(toErrorData(error))}\n`);
  else for (const line of listErrorLines(error)) process.stderr.write(`${toVisible(line)}\n`);
  return getErrorCode(error);
}

/** What is wrong with a call that Commander refuses. Without a command, it only prints the help. */
function explainCall({ code, message }: CommanderError): string {
  return code === "commander.help" ? "Name a command." : message.replace(/^error: /, "");
}
