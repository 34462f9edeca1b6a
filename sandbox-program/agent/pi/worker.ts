// A worker of the pi agent. It runs one turn at a time, with its own access to the model, so that
// concurrent turns cannot sign each other's calls.
import { join } from "node:path";
import { InMemoryCredentialStore } from "@earendil-works/pi-ai";
import { type AgentSession, createAgentSession, ModelRuntime, SessionManager } from "@earendil-works/pi-coding-agent";
import type { ModelAccess } from "../../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../../folders.ts";
import type { AgentRun, AgentTurn, ConversationOpening, TurnPlugins } from "../agent.ts";
import { createBashTool } from "./bash.ts";
import { createGatewayProvider, toPiModel, toThinkingLevel } from "./model.ts";
import { agentToolName, createAgentTool } from "./plugin-agent.ts";
import { createTurnExtension, type ExtensionWorld } from "./plugin-extension.ts";
import { createResources, createSettings, loadExtension, readProjectInstructions } from "./resources.ts";
import { createPiRun, type PiRun } from "./run.ts";
import { createBuiltinTools, createProductTool, listBuiltinToolNames } from "./tools.ts";

export interface PiWorker {
  /** True while no turn is open. */
  isFree(): boolean;
  /** Loads pi's model runtime, so that the first turn does not wait for it. */
  warmUp(): Promise<void>;
  /** Opens the conversation for one turn. */
  open(wanted: AgentTurn): Promise<AgentRun>;
  /** Opens the conversation for work that is not a turn. No tool runs meanwhile. */
  withSession<Result>(wanted: ConversationOpening, use: (session: AgentSession) => Promise<Result>): Promise<Result>;
  /** The turn that is open. Throws without one. */
  currentTurn(): AgentTurn;
}

interface OpenSession {
  /**
   * The settings that the session was opened with. A turn with other settings opens a new session.
   */
  key: string;
  session: AgentSession;
}

/**
 * Creates a worker. `conversations` is the folder of its conversations, one pi file each. The
 * session of the last turn then stays open, so that the next turn with the same model starts
 * immediately. With null, a conversation ends with its turn and is not written to disk. The agent
 * reads `networkRule` after its instructions.
 */
export function createPiWorker(folders: Folders, conversations: string | null, networkRule: string): PiWorker {
  const providers = new Set<string>();
  let runtime: Promise<ModelRuntime> | null = null;
  let open: OpenSession | null = null;
  let turn: AgentTurn | null = null;
  /** The current access to the model. */
  let access: ModelAccess | null = null;
  let run: PiRun | null = null;
  /** Aborted by each incoming message. */
  let interruption = new AbortController();
  const agentDir = join(folders.state, "pi");
  const world: ExtensionWorld = {
    currentTurn,
    isResumed: () => isResumed,
    endTurn: () => run?.asked(),
    isEnding: () => run?.hasAsked() ?? false,
  };
  let isResumed = false;

  function currentTurn(): AgentTurn {
    if (!turn) throw new Error("No turn is running.");
    return turn;
  }

  /** The whole JSON Schema of a tool's input; null for a tool that is not the product's. */
  function findParameters(tool: string): Record<string, unknown> | null {
    return turn?.tools.find(({ name }) => name === tool)?.parameters ?? null;
  }

  function loadRuntime(): Promise<ModelRuntime> {
    runtime ??= ModelRuntime.create({
      credentials: new InMemoryCredentialStore(),
      modelsPath: null,
      allowModelNetwork: false,
      refreshOnCreate: false,
    });
    return runtime;
  }

  function openConversation(id: string): SessionManager {
    if (conversations === null) return SessionManager.inMemory(folders.project);
    // pi creates the file with the first message of a user. Until then there is no conversation to
    // continue: one that was handed over is handed over again.
    return SessionManager.open(join(conversations, `${id}.jsonl`), conversations, folders.project);
  }

  function closeSession(): void {
    open?.session.dispose();
    open = null;
  }

  async function openSession(wanted: ConversationOpening & { plugins?: TurnPlugins | null }): Promise<AgentSession> {
    access = wanted.model;
    const { plugins = null } = wanted;
    const agents = plugins?.agents ?? [];
    const { token: _token, ...model } = wanted.model;
    const toolNames = [
      ...listBuiltinToolNames(wanted),
      ...wanted.tools.map((tool) => tool.name),
      ...(agents.length > 0 ? [agentToolName] : []),
    ];
    const projectInstructions = readProjectInstructions(folders.project);
    const { conversationId } = wanted;
    const instructions = [wanted.instructions, networkRule].filter((part) => part !== "").join("\n\n");
    const key = JSON.stringify([conversationId, model, instructions, projectInstructions, toolNames, plugins?.key]);
    if (open?.key === key && open.session.isIdle) return open.session;
    closeSession();
    const modelRuntime = await loadRuntime();
    if (!providers.has(model.provider)) {
      modelRuntime.registerNativeProvider(createGatewayProvider(model.provider, () => access, findParameters));
      providers.add(model.provider);
    }
    const extension = plugins === null ? null : await loadExtension(createTurnExtension(world), agentDir);
    const { session } = await createAgentSession({
      cwd: folders.project,
      agentDir,
      modelRuntime,
      model: toPiModel(wanted.model),
      thinkingLevel: toThinkingLevel(wanted.model.effort),
      sessionManager: openConversation(wanted.conversationId),
      settingsManager: createSettings(),
      resourceLoader: createResources(projectInstructions, instructions, extension),
      tools: toolNames,
      customTools: [
        ...(wanted.writes ? [createBashTool(folders, currentTurn)] : []),
        ...createBuiltinTools(folders, toolNames, wanted, currentTurn),
        ...wanted.tools.map((tool) => createProductTool(tool, folders.project, currentTurn, () => run?.asked())),
        ...(agents.length > 0
          ? [
              createAgentTool(agents, {
                folders,
                agentDir,
                loadRuntime,
                world,
                interruption: () => interruption.signal,
              }),
            ]
          : []),
      ],
    });
    open = { key, session };
    isResumed = session.messages.length > 0;
    // Starts the session for the extension too.
    if (extension !== null) await session.bindExtensions({});
    return session;
  }

  return {
    isFree: () => turn === null,
    async warmUp() {
      await loadRuntime();
    },
    async open(wanted) {
      const release = () => {
        // An abandoned run may end while a newer one is active.
        if (turn !== wanted) return;
        turn = null;
        run = null;
        access = null;
        if (conversations === null) closeSession();
      };
      turn = wanted;
      try {
        const opened = createPiRun(await openSession(wanted), wanted, release);
        run = opened;
        return {
          ...opened,
          steer(steerId, message) {
            opened.steer(steerId, message);
            interruption.abort();
            interruption = new AbortController();
          },
        };
      } catch (error) {
        release();
        throw error;
      }
    },
    async withSession(wanted, use) {
      try {
        return await use(await openSession(wanted));
      } finally {
        access = null;
      }
    },
    currentTurn,
  };
}
