// The tools pi offers the model besides bash: its own for files, and the product's.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type TSchema, Type } from "@earendil-works/pi-ai";
import { defineTool, type ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { AgentTool, AgentTurn } from "../agent.ts";

/** The names of pi's own tools that work on this machine. */
export function builtinToolNames({ writes }: { writes: boolean }): string[] {
  const names = writes ? ["read", "bash", "edit", "write", "ls"] : ["read", "ls"];
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

const never = new AbortController().signal;

/** One of the product's tools, as the turn that runs has it; its event reaches the turn when it has run. */
export function productTool(tool: AgentTool, currentTurn: () => AgentTurn, onQuestion: () => void): ToolDefinition {
  return defineTool({
    name: tool.name,
    label: tool.label,
    description: tool.description,
    parameters: Type.Unsafe<unknown>(tool.parameters) satisfies TSchema,
    execute: async (_callId, input, signal) => {
      const turn = currentTurn();
      const answer = await (turn.tools.find(({ name }) => name === tool.name) ?? tool).run(input, signal ?? never);
      if (answer.event) turn.onEvent(answer.event);
      if (answer.endsTurn) onQuestion();
      return { content: [{ type: "text", text: answer.text }], details: undefined, terminate: answer.endsTurn };
    },
  });
}
