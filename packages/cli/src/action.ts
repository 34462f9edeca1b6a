// What a command does: it makes an answer, and this prints it. So no command can forget `--json`.
import type { Switchyard } from "@switchyard/client";
import { type Output, openClient } from "./command.ts";

export interface Answer {
  /** The data of the API, for scripts. */
  data: unknown;
  /** The same for people. */
  lines: readonly string[];
}

/** An action that prints what a command answers; null if the command has printed it already. */
export type Action = <Args extends unknown[]>(
  run: (sy: Switchyard, ...args: Args) => Promise<Answer | null>,
) => (...args: Args) => Promise<void>;

/** Creates the actions of commands whose answers go to an output. */
export function createAction(output: () => Output): Action {
  return (run) =>
    async (...args) => {
      const answer = await run(await openClient(), ...args);
      if (answer) output().answer(answer.data, answer.lines);
    };
}
