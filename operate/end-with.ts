// How a command of an operator begins and ends: with words that it knows, and well, or with the
// sentence that helps.
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { Stop } from "./stop.ts";

/** Runs a command, and ends the process with 1 if it is stopped. A bug keeps its stack trace. */
export async function endWith(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    console.error(error instanceof Stop ? `\n${error.message}` : error);
    process.exit(1);
  }
}

/** Reads the options that a command was given. Throws `Stop` with its usage for any other word. */
export function readOptions<Options extends ParseArgsOptionsConfig>(usage: string, options: Options) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new Stop(`${(error as Error).message}\n\n${usage}`);
  }
}
