// The tool `agent`: delegates work to an agent of a plugin. That agent has its own conversation,
// uses the turn's model, and cannot delegate further.
import type { AssistantMessage } from "@earendil-works/pi-ai";
import {
  createAgentSession,
  defineTool,
  type ModelRuntime,
  SessionManager,
  type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import type { PluginAgent } from "../../../src/plugin/rules/agent.ts";
import { listToolNames } from "../../../src/plugin/rules/tool-names.ts";
import { pluginAgentMs } from "../../../src/rules/limits.ts";
import type { Folders } from "../../folders.ts";
import type { AgentTurn } from "../agent.ts";
import { createBashTool } from "./bash.ts";
import { toFailedEnd } from "./failure.ts";
import { toPiModel, toThinkingLevel } from "./model.ts";
import { createAgentExtension, type ExtensionWorld } from "./plugin-extension.ts";
import { createResources, createSettings, loadExtension, readProjectInstructions } from "./resources.ts";
import { createRunLog } from "./run-log.ts";
import { createBuiltinTools, listBuiltinToolNames } from "./tools.ts";

export const agentToolName = "agent";

export interface AgentsHome {
  folders: Folders;
  /** A folder for pi. */
  agentDir: string;
  loadRuntime(): Promise<ModelRuntime>;
  world: ExtensionWorld;
  /** Aborts when a message arrives, so that the message need not wait for the agent. */
  interruption(): AbortSignal;
}

/** The tool for the agents of a turn's plugins. */
export function createAgentTool(agents: readonly PluginAgent[], home: AgentsHome): ToolDefinition {
  const list = agents.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  return defineTool({
    name: agentToolName,
    label: "Agent",
    description: `Give work to another agent. It knows only your prompt, and its last text is the result. The agents:\n${list}`,
    parameters: {
      type: "object",
      properties: {
        name: { type: "string", description: "The agent." },
        prompt: { type: "string", description: "The whole task, with everything that the agent has to know." },
      },
      required: ["name", "prompt"],
    } as const,
    execute: async (_callId, { name, prompt }, signal) => {
      const agent = home.world.currentTurn().plugins?.agents.find((one) => one.name === name);
      if (agent === undefined)
        throw new Error(`There is no agent ${name}. There are: ${agents.map((one) => one.name).join(", ")}`);
      const text = await runAgent(agent, prompt, signal, home);
      return { content: [{ type: "text", text }], details: undefined };
    },
  });
}

async function runAgent(
  agent: PluginAgent,
  prompt: string,
  stopped: AbortSignal | undefined,
  { folders, agentDir, loadRuntime, world, interruption }: AgentsHome,
): Promise<string> {
  const turn = world.currentTurn();
  // Its tools run like the turn's, but are not in the transcript.
  const quiet = { ...turn, onEvent: () => {} } satisfies AgentTurn;
  const names = listBuiltinToolNames(turn).filter((name) => isAllowed(agent, name));
  const extension = await loadExtension(createAgentExtension(world), agentDir);
  const { session } = await createAgentSession({
    ...{ cwd: folders.project, agentDir, modelRuntime: await loadRuntime() },
    ...{ model: toPiModel(turn.model), thinkingLevel: toThinkingLevel(turn.model.effort) },
    sessionManager: SessionManager.inMemory(folders.project),
    settingsManager: createSettings(),
    resourceLoader: createResources(readProjectInstructions(folders.project), agent.instructions, extension),
    tools: names,
    customTools: [
      ...(names.includes("bash") ? [createBashTool(folders, () => quiet)] : []),
      ...createBuiltinTools(folders, names, turn, () => quiet),
    ],
  });
  const late = AbortSignal.timeout(pluginAgentMs);
  const interrupted = interruption();
  const ends = AbortSignal.any([late, interrupted, ...(stopped ? [stopped] : [])]);
  const abort = () => void session.abort();
  let last: AssistantMessage | null = null;
  let text = "";
  const log = createRunLog((line) => turn.onEvent({ type: "log", line: `agent ${agent.name}: ${line}` }));
  session.subscribe((event) => {
    log(event);
    // The agent was aborted during its preparation, when there was nothing to abort yet.
    if (event.type === "agent_start" && ends.aborted) session.agent.abort();
    if (event.type !== "message_end" || event.message.role !== "assistant") return;
    last = event.message;
    text = getText(event.message) || text;
  });
  ends.addEventListener("abort", abort, { once: true });
  try {
    if (!ends.aborted) await session.prompt(prompt, { expandPromptTemplates: false });
    if (late.aborted)
      throw new Error(withText(`The agent ${agent.name} took longer than ${pluginAgentMs / 60_000} minutes.`, text));
    if (stopped?.aborted) throw new Error("The agent was stopped.");
    if (interrupted.aborted) return withText("The agent was stopped, because a message came in.", text);
    throwFailure(last);
    return text === "" ? "The agent said nothing." : text;
  } finally {
    ends.removeEventListener("abort", abort);
    session.dispose();
  }
}

/** True for a tool of ours that the agent's file lists, or for every tool if it lists none. */
function isAllowed({ tools }: PluginAgent, name: string): boolean {
  return tools === null || listToolNames(name).some((one) => tools.includes(one));
}

function throwFailure(last: AssistantMessage | null): void {
  if (last?.stopReason === "error") throw new Error(toFailedEnd(last.errorMessage ?? "no reason given").error);
}

const withText = (note: string, text: string) => (text === "" ? note : `${note}\n\n${text}`);

function getText({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
