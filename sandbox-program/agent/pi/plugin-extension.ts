// The plugins of a turn as a pi extension: pi's events trigger their hooks, and changed files go to
// their language servers.
import type { ExtensionAPI, ExtensionFactory } from "@earendil-works/pi-coding-agent";
import type { AgentTurn, TurnPlugins } from "../agent.ts";
import type { ToolCall } from "../plugins/hooks.ts";

export interface ExtensionWorld {
  /** The turn that is open. */
  currentTurn(): AgentTurn;
  /** True if the conversation had messages when it was opened. */
  isResumed(): boolean;
  /** Ends the turn after the running tools. */
  endTurn(): void;
  /** True if the turn ends because the user was asked, or because a hook ends it. */
  isEnding(): boolean;
}

/** How often hooks may make the agent continue in one turn. */
const continuationsMax = 10;

const fileTools = ["write", "edit"];

/** The extension of a turn's conversation. */
export function createTurnExtension(world: ExtensionWorld): ExtensionFactory {
  return (pi) => {
    let hasGoneOn: { turn: AgentTurn; times: number } | null = null;
    let known: string | null = null;

    pi.on("session_start", async () => {
      const answer = await getHooks(world).sessionStarts(world.isResumed() ? "resume" : "startup");
      if (answer.halt !== null) say(world, answer.halt);
      known = answer.context;
    });
    pi.on("input", async ({ text }) => {
      const { block, halt, context } = await getHooks(world).promptArrives(text);
      const refusal = block ?? halt;
      if (refusal !== null) {
        say(world, refusal);
        return { action: "handled" };
      }
      const added = [known, context].filter((one) => one !== null);
      known = null;
      // Appended, because a steer is recognized by the start of its text.
      return added.length === 0 ? { action: "continue" } : { action: "transform", text: [text, ...added].join("\n\n") };
    });
    watchTools(pi, world);
    pi.on("agent_before_settle", async ({ outcome }) => {
      if (outcome !== "completed" || world.isEnding()) return;
      const turn = world.currentTurn();
      if (hasGoneOn?.turn !== turn) hasGoneOn = { turn, times: 0 };
      const { block, halt } = await getHooks(world).stops(hasGoneOn.times > 0);
      if (block === null || halt !== null || world.isEnding()) return;
      hasGoneOn.times += 1;
      if (hasGoneOn.times > continuationsMax) {
        turn.onEvent({ type: "log", line: `hooks made the agent continue ${continuationsMax} times; it ends now` });
        return;
      }
      const content = `A hook of a plugin wants you to continue: ${block}`;
      return { entries: [{ type: "custom_message", customType: "hook", content, display: false }], continue: true };
    });
  };
}

/**
 * The extension of the conversation of a plugin's agent. Its actions trigger the same hooks as
 * those of the turn's agent.
 */
export function createAgentExtension(world: ExtensionWorld): ExtensionFactory {
  return (pi) => watchTools(pi, world);
}

function watchTools(pi: ExtensionAPI, world: ExtensionWorld): void {
  const contexts = new Map<string, string>();

  pi.on("tool_call", async (event, { signal }) => {
    const { block, halt, context, input } = await getHooks(world).beforeTool(toToolCall(event), signal);
    if (halt !== null) {
      say(world, halt);
      world.endTurn();
    }
    const refusal = block ?? halt;
    if (refusal !== null) return { block: true, reason: `A hook of a plugin forbids this: ${refusal}` };
    if (context !== null) contexts.set(event.toolCallId, context);
    if (input !== null) replace(event.input as Record<string, unknown>, input);
    return undefined;
  });
  pi.on("tool_result", async (event, { signal }) => {
    const call = toToolCall(event);
    const added = [contexts.get(call.callId) ?? null];
    contexts.delete(call.callId);
    if (!event.isError) {
      const output = event.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
      const [answer, errors] = await Promise.all([
        getHooks(world).afterTool(call, output, signal),
        errorsBehind(call, world),
      ]);
      if (answer.halt !== null) {
        say(world, answer.halt);
        world.endTurn();
      }
      const objection = answer.block === null ? null : `A hook of a plugin objects: ${answer.block}`;
      added.push(errors, objection, answer.context);
    }
    const texts = added.flatMap((text) => (text === null ? [] : [{ type: "text" as const, text }]));
    return texts.length === 0 ? undefined : { content: [...event.content, ...texts] };
  });
}

async function errorsBehind({ name, input }: ToolCall, world: ExtensionWorld): Promise<string | null> {
  if (!fileTools.includes(name) || typeof input.path !== "string") return null;
  return await getPlugins(world).errorsIn(input.path);
}

function toToolCall(event: { toolCallId: string; toolName: string; input: object }): ToolCall {
  return { callId: event.toolCallId, name: event.toolName, input: { ...event.input } };
}

function replace(input: Record<string, unknown>, wanted: Record<string, unknown>): void {
  for (const name of Object.keys(input)) delete input[name];
  Object.assign(input, wanted);
}

function getPlugins({ currentTurn }: ExtensionWorld): TurnPlugins {
  const { plugins } = currentTurn();
  if (plugins === null) throw new Error("The turn has no plugins.");
  return plugins;
}

const getHooks = (world: ExtensionWorld) => getPlugins(world).hooks;

/** Shows in the transcript why a hook ended something. */
function say({ currentTurn }: ExtensionWorld, reason: string): void {
  const { onEvent } = currentTurn();
  onEvent({ type: "text_begin" });
  onEvent({ type: "text", delta: `A hook of a plugin stopped this: ${reason}` });
  onEvent({ type: "text_end" });
}
