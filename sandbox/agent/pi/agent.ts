// The driver of the pi agent, which runs in this process. A conversation is one file of pi. The session of the last turn stays open, so that the
// next turn with the same model starts at once.
import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { InMemoryCredentialStore } from "@earendil-works/pi-ai";
import { type AgentSession, createAgentSession, ModelRuntime, SessionManager } from "@earendil-works/pi-coding-agent";
import type { ModelAccess } from "../../../src/sandbox/protocol.ts";
import type { Folders } from "../../folders.ts";
import type { Agent, AgentTurn, ConversationOpening } from "../agent.ts";
import { bashTool } from "./bash.ts";
import { compactSession } from "./compaction.ts";
import { gatewayProvider, toPiModel, toThinkingLevel } from "./model.ts";
import { createResources, createSettings, readProjectInstructions } from "./resources.ts";
import { createPiRun, type PiRun } from "./run.ts";
import { spawnToolsIn } from "./tool-spawn.ts";
import { builtinToolNames, builtinTools, productTool } from "./tools.ts";

interface OpenSession {
  /** The settings that the session was opened with. A turn with other settings opens a new session. */
  key: string;
  session: AgentSession;
}

const piVersion = "pi 0.87.1";

/** Creates the pi agent for a sandbox. */
export function createPiAgent(folders: Folders): Agent {
  const conversations = join(folders.state, "conversations");
  const providers = new Set<string>();
  let runtime: Promise<ModelRuntime> | null = null;
  let open: OpenSession | null = null;
  let turn: AgentTurn | null = null;
  /** The current access to the model. */
  let access: ModelAccess | null = null;
  let run: PiRun | null = null;

  spawnToolsIn(() => currentTurn().family);
  const conversationFile = (id: string) => join(conversations, `${id}.jsonl`);

  function currentTurn(): AgentTurn {
    if (!turn) throw new Error("No turn is running.");
    return turn;
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

  async function openSession(wanted: ConversationOpening): Promise<AgentSession> {
    access = wanted.model;
    const { token: _token, ...model } = wanted.model;
    const toolNames = [...builtinToolNames(wanted), ...wanted.tools.map((tool) => tool.name)];
    const projectInstructions = readProjectInstructions(folders.project);
    const key = JSON.stringify([wanted.conversationId, model, wanted.instructions, projectInstructions, toolNames]);
    if (open?.key === key && open.session.isIdle) return open.session;
    open?.session.dispose();
    open = null;
    const modelRuntime = await loadRuntime();
    if (!providers.has(model.provider)) {
      modelRuntime.registerNativeProvider(gatewayProvider(model.provider, () => access));
      providers.add(model.provider);
    }
    const file = conversationFile(wanted.conversationId);
    mkdirSync(conversations, { recursive: true });
    // pi writes to an existing file at once, but to a new one only after the model's first answer.
    closeSync(openSync(file, "a"));
    const { session } = await createAgentSession({
      cwd: folders.project,
      agentDir: join(folders.state, "pi"),
      modelRuntime,
      model: toPiModel(wanted.model),
      thinkingLevel: toThinkingLevel(wanted.model.effort),
      sessionManager: SessionManager.open(file, conversations, folders.project),
      settingsManager: createSettings(),
      resourceLoader: createResources(projectInstructions, wanted.instructions),
      tools: toolNames,
      customTools: [
        ...(wanted.writes ? [bashTool(folders, currentTurn)] : []),
        ...builtinTools(folders, toolNames, currentTurn),
        ...wanted.tools.map((tool) => productTool(tool, currentTurn, () => run?.asked())),
      ],
    });
    open = { key, session };
    return session;
  }

  return {
    version: piVersion,
    async warmUp() {
      await loadRuntime();
    },
    hasConversation(conversationId) {
      const file = conversationFile(conversationId);
      return existsSync(file) && statSync(file).size > 0;
    },
    async open(wanted) {
      const release = () => {
        // An abandoned run may end while a newer one is active.
        if (turn !== wanted) return;
        turn = null;
        run = null;
        access = null;
      };
      turn = wanted;
      try {
        run = createPiRun(await openSession(wanted), wanted.model.contextWindow, wanted.onEvent, release);
        return run;
      } catch (error) {
        release();
        throw error;
      }
    },
    async compact({ focus, signal, ...wanted }) {
      try {
        return await compactSession(await openSession(wanted), focus, signal);
      } finally {
        access = null;
      }
    },
  };
}
