// pi's bash tool. A command runs in the environment and the process family of the current turn,
// which collects its output.
import {
  createBashToolDefinition,
  DEFAULT_MAX_BYTES,
  defineTool,
  formatSize,
  type ToolDefinition,
  truncateTail,
} from "@earendil-works/pi-coding-agent";
import type { Folders } from "../../folders.ts";
import { startRefusedHostWatch } from "../../network/refused-hosts.ts";
import { runCommand } from "../../process/command.ts";
import type { CommandOutput } from "../../process/command-output.ts";
import type { LongOutput } from "../../transcript/long-output.ts";
import type { AgentTurn } from "../agent.ts";

const longestTimeoutSeconds = 2_147_483;
/** Twice what the model reads, so that its first line is complete. */
const tailBytes = 2 * DEFAULT_MAX_BYTES;

/**
 * The tool. A failed command is an error. Its text ends with the exit status, and the
 * hosts that the network refused meanwhile.
 */
export function createBashTool(folders: Folders, currentTurn: () => AgentTurn): ToolDefinition {
  const { description: _, ...definition } = createBashToolDefinition(folders.project, {
    exposeSessionEnvironment: false,
  });
  return defineTool({
    ...definition,
    description:
      "Execute a bash command in the project folder. Returns stdout and stderr, of long output the last " +
      `${formatSize(DEFAULT_MAX_BYTES)}; the whole of it is then in a file. Optionally provide a timeout in seconds.`,
    execute: async (callId, { command, timeout }, signal) => {
      const turn = currentTurn();
      const output = turn.openOutput(callId, tailBytes);
      const listRefusedHosts = startRefusedHostWatch();
      const end = await runCommand({
        file: "/bin/bash",
        args: ["-c", command],
        cwd: folders.project,
        env: turn.env,
        family: turn.family,
        timeoutMs: toTimeoutMs(timeout),
        signal,
        onOutput: output.write,
      });
      turn.family.prepare();
      const failure = formatStatus(end, timeout);
      const status = failure === "" ? "" : [failure, ...listRefusedHosts()].join("\n");
      const long = output.finish(status === "" ? "" : `\n\n${status}`);
      if (long) turn.onEvent({ type: "tool_output", callId, output: long });
      const text = [formatOutput(output, long, status), status].filter((part) => part !== "").join("\n\n");
      if (status !== "") throw new Error(text);
      return { content: [{ type: "text", text }], details: undefined };
    },
  });
}

function toTimeoutMs(timeout: number | undefined): number | undefined {
  if (timeout === undefined) return undefined;
  if (!Number.isFinite(timeout) || timeout <= 0) throw new Error("`timeout` is not a number of seconds above 0.");
  return Math.min(timeout, longestTimeoutSeconds) * 1_000;
}

/** The status line of a failed command. */
function formatStatus(
  { exitCode, stopped }: { exitCode: number; stopped: "timeout" | "abort" | null },
  timeout: number | undefined,
): string {
  if (stopped === "abort") return "Command aborted";
  if (stopped === "timeout") return `Command timed out after ${timeout} seconds`;
  return exitCode === 0 ? "" : `Command exited with code ${exitCode}`;
}

function formatOutput(output: CommandOutput, long: LongOutput | null, status: string): string {
  const bytes = output.bytes();
  if (bytes === 0) return status === "" ? "(no output)" : "";
  const text = output.tail().toString("utf8");
  if (bytes <= DEFAULT_MAX_BYTES) return text;
  const tail = truncateTail(text, { maxBytes: DEFAULT_MAX_BYTES, maxLines: Number.MAX_SAFE_INTEGER });
  const whole = long && "path" in long.whole ? ` All of it: ${long.whole.path}` : "";
  return `${tail.content}\n\n[The last ${formatSize(tail.outputBytes)} of ${formatSize(bytes)}.${whole}]`;
}
