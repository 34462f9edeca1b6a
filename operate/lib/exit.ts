// How an operator's command starts and ends: it accepts only known options, and a failure prints a
// sentence that helps.
import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** Ends an operator's command with a sentence that says what to do. */
export class Stop extends Error {}

/** Runs a command and exits with 1 if it throws `Stop`. A bug keeps its stack trace. */
export async function runAndExit(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    console.error(error instanceof Stop ? `\n${error.message}` : error);
    process.exit(1);
  }
}

/** Parses the options of a command. Throws `Stop` with its usage for an unknown one. */
export function readOptions<Options extends ParseArgsOptionsConfig>(usage: string, options: Options) {
  return parse(usage, { options }).values;
}

/** Parses a command that names one thing. Throws `Stop` with its usage for anything else. */
export function readNameAndOptions<Options extends ParseArgsOptionsConfig>(usage: string, options: Options) {
  const { positionals, values } = parse(usage, { options, allowPositionals: true });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new Stop(usage);
  return { name, options: values };
}

function parse<Config extends ParseArgsConfig>(usage: string, config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new Stop(`${(error as Error).message}\n\n${usage}`);
  }
}
