// Runs the setup commands of a checkout in order, in the project folder. Their output goes to a
// log.
import { StringDecoder } from "node:string_decoder";
import { getLogEnd } from "../../src/chat/rules/boot.ts";
import { bootLogBytes } from "../../src/rules/limits.ts";
import { createRedaction } from "../../src/rules/redaction.ts";
import type { Checkout } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { createRefusal, toRefusal } from "../http/refusal.ts";
import { runCommand } from "../process/command.ts";
import type { Environment } from "../process/environment.ts";
import { createProcessFamily } from "../process/process-family.ts";
import { getShellEnvironment } from "../process/shell-environment.ts";
import { createSetupLog } from "../services/output-log.ts";
import { type CheckoutRecord, writeCheckout } from "./checkout-record.ts";

/**
 * The timeout of all commands together. It is below the ten minutes of a sandbox start, so that the
 * error can name the command that hangs.
 */
export const setupTimeMs = 8 * 60_000;
const shownOutputCharacters = 1_000;
/** A character has at least one byte. One more shows whether the cut is at a line. */
const keptCharacters = bootLogBytes + 1;
const shownCommandCharacters = 500;

/** The end of the output of the setup command that runs or failed, for people who wait. */
export interface SetupEnd {
  /** Null while there is no such command. */
  read(): string | null;
  show(read: () => string): void;
  clear(): void;
}

/** Creates the end of an output, without a command. */
export function createSetupEnd(): SetupEnd {
  let shown: (() => string) | null = null;
  return {
    read: () => (shown === null ? null : getLogEnd(shown())),
    show(read) {
      shown = read;
    },
    clear() {
      shown = null;
    },
  };
}

/** The deadline of setup, the signal that ends it early, and who is shown its output. */
export interface SetupBounds {
  /** In milliseconds since the epoch; by default `setupTimeMs` from now. */
  givenUpAt?: number;
  signal?: AbortSignal | undefined;
  end?: SetupEnd | undefined;
}

/**
 * Runs the commands until one fails or the signal aborts. The refusal contains the end of the
 * failed command's output.
 */
export async function runSetup(
  folders: Folders,
  commands: string[],
  env: Environment,
  { givenUpAt = Date.now() + setupTimeMs, signal, end: shownEnd }: SetupBounds = {},
): Promise<void> {
  shownEnd?.clear();
  if (commands.length === 0) return;
  const secrets = Object.values(env);
  const log = createSetupLog(folders, secrets);
  const family = createProcessFamily(folders, "SWITCHYARD_SETUP");
  try {
    for (const command of commands) {
      const output = createTail(secrets);
      shownEnd?.show(output.soFar);
      const end = await runCommand({
        file: "/bin/bash",
        args: ["-c", command],
        cwd: folders.project,
        env: getShellEnvironment(folders, env, null),
        family,
        timeoutMs: Math.max(0, givenUpAt - Date.now()),
        signal,
        onOutput: (chunk) => {
          log.write(chunk);
          output.write(chunk);
        },
      });
      signal?.throwIfAborted();
      if (end.exitCode !== 0 || end.stopped) {
        const how = end.stopped
          ? `was not done when ${setupTimeMs / 60_000} minutes of setup were over`
          : `ended with exit code ${end.exitCode}`;
        throw createRefusal(
          "SETUP_FAILED",
          `The setup command \`${shown(command, secrets)}\` ${how}.\n${output.read()}`,
        );
      }
    }
    shownEnd?.clear();
  } finally {
    await family.close();
    log.close();
  }
}

/**
 * Runs the setup of a checkout and records its outcome. Returns the failure of a setup command
 * if the request wants it reported; otherwise refuses.
 */
export async function setUp(
  folders: Folders,
  { setup, env, reportsSetupFailure = false }: Pick<Checkout, "setup" | "env" | "reportsSetupFailure">,
  record: CheckoutRecord,
  bounds: SetupBounds = {},
): Promise<string | undefined> {
  try {
    await runSetup(folders, setup, env, bounds);
  } catch (error) {
    const { code, message } = toRefusal(error);
    if (!reportsSetupFailure || code !== "SETUP_FAILED") throw error;
    await writeCheckout(folders, { ...record, setupFailure: message });
    return message;
  }
  await writeCheckout(folders, { ...record, isSetUp: true, setupFailure: undefined });
  return undefined;
}

/** Redacts a command, which may contain a variable's value as text. */
function shown(command: string, secrets: string[]): string {
  const redacted = createRedaction(secrets).whole(command);
  return redacted.length > shownCommandCharacters ? `${redacted.slice(0, shownCommandCharacters)}…` : redacted;
}

/**
 * Keeps the end of an output without cutting a secret in two, because redaction would miss the
 * second half.
 */
function createTail(secrets: string[]) {
  const decoder = new StringDecoder("utf8");
  const redacted = createRedaction(secrets).stream();
  let tail = "";
  return {
    write(chunk: Buffer): void {
      tail = (tail + redacted.push(decoder.write(chunk))).slice(-keptCharacters);
    },
    /** What is safe to show while more may follow. */
    soFar: () => tail,
    read: () => (tail + redacted.push(decoder.end()) + redacted.flush()).slice(-shownOutputCharacters),
  };
}
