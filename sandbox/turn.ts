// One turn from its start to its end: the agent works, each thing it does becomes an event, and when it ends or is stopped none of its
// processes is left.
import { setTimeout as sleep } from "node:timers/promises";
import type { TurnEvent, TurnOutcome, TurnStart } from "../src/sandbox/protocol.ts";
import type { Agent, AgentEnd, AgentEvent, AgentRun } from "./agent.ts";
import { createBlocks } from "./blocks.ts";
import type { CheckoutRecord } from "./checkout.ts";
import type { Folders } from "./folders.ts";
import { createProcessFamily } from "./processes.ts";
import { createRedaction } from "./redaction.ts";
import { shellEnvironment } from "./shell-environment.ts";
import { askTool } from "./tools/ask.ts";
import { planTool } from "./tools/plan.ts";

export interface Turn {
  /** The service knows of the turn, so the agent may act. Before that, a turn that is run elsewhere could be run twice. */
  begin(): void;
  steer(steerId: string, text: string): void;
  /** Ends the turn whatever it is doing; settles when its agent and its processes are gone and its last event is emitted. */
  end(outcome: TurnOutcome): Promise<void>;
}

const tools = [planTool, askTool];
/** An agent that does not let go within this time is left behind, muted and without its processes. */
const agentStopMs = 2_000;

/** Starts the agent on a turn. `emit` takes the turn's events; the last is always `ended`. */
export function startTurn(
  agent: Agent,
  folders: Folders,
  checkout: CheckoutRecord,
  start: TurnStart,
  emit: (event: TurnEvent) => void,
): Turn {
  const family = createProcessFamily("SWITCHYARD_TURN");
  const redaction = createRedaction(secretsOf(start));
  const blocks = createBlocks(emit, redaction, new Set(tools.map((tool) => tool.name)));
  let run: AgentRun | null = null;
  /** Steers that came before the agent was open. */
  const early: [steerId: string, text: string][] = [];
  let ending: Promise<void> | null = null;
  const { promise: mayBegin, resolve: begin } = Promise.withResolvers<void>();
  const prompt = promptOf(agent, start);

  function hear(event: AgentEvent): void {
    // Once the turn is being ended, what the agent still does is nobody's business; its steers are.
    if (ending === null || event.type === "steer") blocks.take(event);
  }

  async function open(): Promise<AgentRun> {
    const opened = await agent.open({
      conversationId: start.conversation.id,
      model: start.model,
      instructions: start.instructions,
      env: shellEnvironment(folders, start.env, { remoteUrl: checkout.remoteUrl, pass: start.git.pass }),
      family,
      tools,
      onEvent: hear,
    });
    run = opened;
    for (const [steerId, text] of early.splice(0)) opened.steer(steerId, text);
    return opened;
  }

  async function work(): Promise<AgentEnd> {
    try {
      const opened = await open();
      await mayBegin;
      if (ending) return { type: "stopped" };
      return await opened.work(prompt);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { type: "failed", error: `The agent could not be started: ${reason}`, errorCode: null };
    }
  }

  function outcomeOf(end: AgentEnd): TurnOutcome {
    switch (end.type) {
      case "done":
        return { status: blocks.endsWithQuestion() ? "awaiting_response" : "completed" };
      case "stopped":
        return { status: "cancelled" };
      case "failed":
        return { status: "failed", error: redaction.whole(end.error), errorCode: end.errorCode };
    }
  }

  async function stopAndClose(outcome: TurnOutcome): Promise<void> {
    const stopped = run?.stop().catch(() => {});
    await Promise.race([Promise.all([stopped, family.killAll()]), sleep(agentStopMs, undefined, { ref: false })]);
    await Promise.race([working, sleep(agentStopMs, undefined, { ref: false })]);
    // What the agent started as it was being stopped.
    await family.killAll();
    for (const [steerId] of early.splice(0)) emit({ type: "steer", steerId, outcome: "returned" });
    blocks.close();
    emit({ type: "ended", outcome });
  }

  function end(outcome: TurnOutcome): Promise<void> {
    ending ??= stopAndClose(outcome);
    begin();
    return ending;
  }

  emit({ type: "started", agentVersion: agent.version });
  const working = work().then(async (agentEnd) => {
    if (ending) return run?.stop();
    const outcome = outcomeOf(agentEnd);
    await family.killAll();
    if (ending) return;
    ending = Promise.resolve();
    blocks.close();
    emit({ type: "ended", outcome });
  });

  return {
    begin,
    steer(steerId, text) {
      if (run) run.steer(steerId, text);
      else early.push([steerId, text]);
    },
    end,
  };
}

function promptOf(agent: Agent, start: TurnStart): string {
  const { id, handover } = start.conversation;
  if (handover === null || handover === "" || agent.hasConversation(id)) return start.prompt;
  return `<conversation>\n${handover}\n</conversation>\n\n${start.prompt}`;
}

const secretsOf = (start: TurnStart) => [
  start.link.pass,
  start.model.pass,
  start.git.pass,
  ...(start.secretNames ?? []).flatMap((name) => start.env[name] ?? []),
];
