// The tools pi offers the model: its own for files, bash in the turn's environment, and the product's.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type TSchema, Type } from "@earendil-works/pi-ai";
import { createBashToolDefinition, defineTool, type ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { AgentTool, AgentTurn } from "../agent.ts";
import { runCommand } from "../command.ts";
import type { Folders } from "../folders.ts";

/** The names of pi's own tools that work on this machine. */
export function builtinToolNames(): string[] {
  const names = ["read", "bash", "edit", "write", "ls"];
  if (isInstalled("rg")) names.push("grep");
  if (isInstalled("fd")) names.push("find");
  return names;
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** bash in the environment and the process family of whichever turn runs. */
export function bashTool(folders: Folders, currentTurn: () => AgentTurn): ToolDefinition {
  const definition = createBashToolDefinition(folders.project, {
    exposeSessionEnvironment: false,
    operations: {
      exec: async (command, cwd, { onData, signal, timeout }) => {
        const turn = currentTurn();
        const end = await runCommand({
          file: "/bin/bash",
          args: ["-c", command],
          cwd,
          env: turn.env,
          family: turn.family,
          timeoutMs: timeout === undefined ? undefined : timeout * 1_000,
          signal,
          onOutput: onData,
        });
        // The two messages by which pi's tool tells these ends from an exit.
        if (end.stopped === "abort") throw new Error("aborted");
        if (end.stopped === "timeout") throw new Error(`timeout:${timeout}`);
        return { exitCode: end.exitCode };
      },
    },
  });
  return defineTool(definition);
}

/** One of the product's tools, whose event reaches the turn when it has run. */
export function productTool(tool: AgentTool, currentTurn: () => AgentTurn, onQuestion: () => void): ToolDefinition {
  return defineTool({
    name: tool.name,
    label: tool.label,
    description: tool.description,
    parameters: Type.Unsafe<unknown>(tool.parameters) satisfies TSchema,
    execute: async (_callId, input) => {
      const answer = await tool.run(input);
      currentTurn().onEvent(answer.event);
      if (answer.endsTurn) onQuestion();
      return { content: [{ type: "text", text: answer.text }], details: undefined, terminate: answer.endsTurn };
    },
  });
}
