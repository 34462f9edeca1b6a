// The hooks of a turn's plugins. At an event, all matching hooks run at the same time and their
// results are combined. A broken hook becomes a note in the transcript.
import { resolve } from "node:path";
import { type HookAnswer, type HookEvent, type PluginHook, silence } from "../../../src/plugin/rules/hook.ts";
import { isMatched } from "../../../src/plugin/rules/matcher.ts";
import {
  fromPublishedInput,
  listToolNames,
  toPublishedInput,
  toPublishedName,
} from "../../../src/plugin/rules/tool-names.ts";
import type { AgentEvent } from "../agent.ts";
import type { TakenPlugin } from "../given/plugins.ts";
import { type HookPlace, runHook } from "./hook-run.ts";

/** A tool that the agent calls. */
export interface ToolCall {
  callId: string;
  name: string;
  input: Record<string, unknown>;
}

export interface Hooks {
  /** True if a hook listens to this event. */
  has(event: HookEvent): boolean;
  sessionStarts(source: "startup" | "resume"): Promise<HookAnswer>;
  promptArrives(prompt: string): Promise<HookAnswer>;
  /** The result's `input` has our field names. */
  beforeTool(call: ToolCall, signal?: AbortSignal): Promise<HookAnswer>;
  /** Runs after a successful tool. */
  afterTool(call: ToolCall, output: string, signal?: AbortSignal): Promise<HookAnswer>;
  /** `isGoingOn` is true if a hook has already made the agent continue. */
  stops(isGoingOn: boolean): Promise<HookAnswer>;
}

export interface HookContext extends HookPlace {
  sessionId: string;
  onEvent(event: AgentEvent): void;
}

/** The tool name under which the transcript shows the messages of hooks to people. */
const hookNote = "hook";

/** The hooks of plugins. */
export function createHooks(plugins: readonly TakenPlugin[], context: HookContext): Hooks {
  const hooks = plugins.flatMap((plugin) => plugin.parts.hooks.map((hook) => ({ plugin, hook })));
  const { cwd } = context;
  const absolute = (path: string) => resolve(cwd, path);
  const common = (event: HookEvent) => ({
    session_id: context.sessionId,
    // The conversation belongs to the program, and no command may read it.
    transcript_path: "/dev/null",
    cwd,
    permission_mode: "bypassPermissions",
    hook_event_name: event,
  });

  async function ask(
    event: HookEvent,
    names: readonly string[] | null,
    fields: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<HookAnswer> {
    const asked = hooks.filter(
      ({ hook }) => hook.event === event && (names === null || isMatched(hook.matcher, names)),
    );
    if (asked.length === 0) return silence;
    const input = { ...common(event), ...fields };
    const answers = await Promise.all(asked.map(({ plugin, hook }) => askHook(plugin, hook, input, signal)));
    return together(answers);
  }

  async function askHook(
    plugin: TakenPlugin,
    hook: PluginHook,
    input: Record<string, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<HookAnswer> {
    const running = runHook(plugin, hook, input, context, signal).then((answer) => {
      if ("broken" in answer) return note(plugin, hook, answer.broken, true);
      if (answer.message !== null) note(plugin, hook, answer.message, false);
      return answer;
    });
    return hook.isAsync ? silence : await running;
  }

  /** Shows a message to people. The agent does not read it. */
  function note({ name }: TakenPlugin, { event, command }: PluginHook, text: string, isError: boolean): HookAnswer {
    const callId = `hook_${crypto.randomUUID()}`;
    context.onEvent({ type: "tool_begin", callId, name: hookNote, input: { plugin: name, event, command } });
    context.onEvent({ type: "tool_end", callId, output: text, isError });
    return silence;
  }

  return {
    has: (event) => hooks.some(({ hook }) => hook.event === event),
    sessionStarts: (source) => ask("SessionStart", [source], { source }),
    promptArrives: (prompt) => ask("UserPromptSubmit", null, { prompt }),
    async beforeTool({ callId, name, input }, signal) {
      const told = toPublishedInput(name, input, absolute);
      const fields = { tool_name: toPublishedName(name), tool_input: told, tool_use_id: callId };
      const answer = await ask("PreToolUse", listToolNames(name), fields, signal);
      return answer.input === null ? answer : { ...answer, input: fromPublishedInput(name, input, told, answer.input) };
    },
    afterTool({ callId, name, input }, output, signal) {
      const tool = { tool_name: toPublishedName(name), tool_input: toPublishedInput(name, input, absolute) };
      const fields = { ...tool, tool_response: { output, stdout: output }, tool_use_id: callId };
      return ask("PostToolUse", listToolNames(name), fields, signal);
    },
    stops: (isGoingOn) => ask("Stop", null, { stop_hook_active: isGoingOn }),
  };
}

/** Combines results: the first refusal, all information, and the last change. */
function together(answers: readonly HookAnswer[]): HookAnswer {
  const contexts = answers.flatMap(({ context }) => context ?? []);
  return {
    block: answers.find(({ block }) => block !== null)?.block ?? null,
    context: contexts.length === 0 ? null : contexts.join("\n"),
    input: answers.findLast(({ input }) => input !== null)?.input ?? null,
    halt: answers.find(({ halt }) => halt !== null)?.halt ?? null,
    message: null,
  };
}
