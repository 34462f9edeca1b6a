// Tries a sandbox on a deployed image. A new version, a rollout and the first containers of an
// account take a few minutes, so the service is asked again until a sandbox runs this image.
import { setTimeout as sleep } from "node:timers/promises";
import { Stop } from "../lib/exit.ts";
import { sendCommand } from "../lib/operator-command.ts";

export interface SandboxTrial {
  address: string;
  /** The key that this deployment has given the Worker. */
  key: string;
  /** The tag of the image that has to start. */
  tag: string;
  say(line: string): void;
  /** How long a start is awaited, and the pause after each try. Both have defaults. */
  waitMs?: number;
  pauseMs?: number;
}

const usualWaitMs = 10 * 60_000;
const usualPauseMs = 15_000;
/** A container that starts and ends does so each time. */
const endsMax = 3;

/**
 * Returns once a sandbox of the image has started and stopped. Throws `Stop` with the reason if
 * none does.
 */
export async function trySandbox(trial: SandboxTrial): Promise<void> {
  const { address, key, tag, say, waitMs = usualWaitMs, pauseMs = usualPauseMs } = trial;
  const until = Date.now() + waitMs;
  let said = "";
  for (let ends = 0; ; ) {
    const reason = await sendCommand(address, key, { command: "try" }).then(
      ({ image, ms }) => {
        if (image !== tag) return `A sandbox started from the image ${image}, which is being replaced.`;
        say(`    A sandbox started from ${image} in ${ms} ms, answered and was stopped.`);
        return null;
      },
      (error: unknown) => {
        if (error instanceof Stop) return error.message;
        throw error;
      },
    );
    if (reason === null) return;
    if (/ended while it was being started/.test(reason)) ends++;
    if (ends === endsMax || Date.now() > until)
      throw new Stop(
        `No sandbox of the new image runs. ${reason}\nThe Worker is deployed. The log lines of the container are under Workers → Observability. docs/operate.md says how to roll back.`,
      );
    if (reason !== said) say(`    ${reason} It is tried again.`);
    said = reason;
    await sleep(pauseMs);
  }
}
