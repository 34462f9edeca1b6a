// How a command of an operator ends: well, or with the sentence that helps.
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
