// A hook of a plugin: a command that runs at an event of a turn. Its output may forbid the action,
// or add to it.
import { hookTimeoutMs, hookTimeoutMsMax } from "../../rules/limits.ts";
import { commandCharactersMax, toFields } from "./manifest-values.ts";
import { isMatcher } from "./matcher.ts";

/** The events that turns have. Hooks of other events are neither run nor listed. */
export const hookEvents = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"] as const;
export type HookEvent = (typeof hookEvents)[number];

export interface PluginHook {
  event: HookEvent;
  /** The tools, or the kinds of session start, that it runs for; null for all. */
  matcher: string | null;
  /** A shell command. */
  command: string;
  timeoutMs: number;
  /** True if nothing waits for it. */
  isAsync: boolean;
}

const isHookEvent = (name: string): name is HookEvent => hookEvents.some((event) => event === name);

/**
 * Parses the hooks in a value of a manifest or a file: events with their matchers. A message if a
 * hook cannot be run as declared.
 */
export function parseHooks(value: unknown): PluginHook[] | string {
  const hooks: PluginHook[] = [];
  for (const [event, groups] of Object.entries(toFields(value))) {
    if (!isHookEvent(event) || !Array.isArray(groups)) continue;
    for (const group of groups) {
      const { matcher = null, hooks: ofGroup } = toFields(group);
      if (!(matcher === null || (typeof matcher === "string" && isMatcher(matcher))))
        return `it has a hook for ${event} whose matcher is no simple pattern`;
      for (const one of Array.isArray(ofGroup) ? ofGroup : []) {
        const hook = parseHook(one, event, matcher);
        if (typeof hook === "string") return hook;
        if (hook !== null) hooks.push(hook);
      }
    }
  }
  return hooks;
}

function parseHook(value: unknown, event: HookEvent, matcher: string | null): PluginHook | string | null {
  const { type, command, timeout, async: isAsync } = toFields(value);
  if (type !== "command") return null;
  if (typeof command !== "string" || command.trim() === "") return `it has a hook for ${event} without a command`;
  if (command.length > commandCharactersMax || command.includes("\0"))
    return `it has a hook for ${event} whose command is too long`;
  const seconds = typeof timeout === "number" && timeout > 0 ? timeout : null;
  const timeoutMs = seconds === null ? hookTimeoutMs : Math.min(seconds * 1_000, hookTimeoutMsMax);
  return { event, matcher, command, timeoutMs, isAsync: isAsync === true };
}

/** The result of a hook. */
export interface HookAnswer {
  /**
   * Why it forbids the prompt or the tool, objects to the tool's result, or wants the agent to
   * continue.
   */
  block: string | null;
  /** Information for the agent. */
  context: string | null;
  /** The replacement for the tool's input. */
  input: Record<string, unknown> | null;
  /** Why the turn must end. */
  halt: string | null;
  /** A message for people. */
  message: string | null;
}

/** The result of a hook without output. */
export const silence: HookAnswer = { block: null, context: null, input: null, halt: null, message: null };

export interface HookEnd {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Reads the result of a hook: exit code 0 with JSON or text, exit code 2, or a failure. */
export function readHookAnswer(
  event: HookEvent,
  { exitCode, stdout, stderr }: HookEnd,
): HookAnswer | { broken: string } {
  const said = cut(stderr.trim());
  // No hook can forbid the start of a session.
  if (exitCode === 2 && event !== "SessionStart")
    return { ...silence, block: said === "" ? "It gave no reason." : said };
  if (exitCode !== 0) return { broken: `It exited with ${exitCode}.${said === "" ? "" : ` ${said}`}` };
  const text = stdout.trim();
  if (!text.startsWith("{")) {
    const isForAgent = event === "SessionStart" || event === "UserPromptSubmit";
    return isForAgent && text !== "" ? { ...silence, context: cut(text) } : silence;
  }
  try {
    return parseDecision(event, toFields(JSON.parse(text)));
  } catch {
    return { broken: "Its answer is no JSON." };
  }
}

function parseDecision(event: HookEvent, json: Record<string, unknown>): HookAnswer {
  const own = toFields(json.hookSpecificOutput);
  const { updatedInput } = own;
  const isInput = event === "PreToolUse" && typeof updatedInput === "object" && updatedInput !== null;
  return {
    block: event === "SessionStart" ? null : findBlock(event, json, own),
    context: findText(own.additionalContext),
    input: isInput ? { ...toFields(updatedInput) } : null,
    halt: json.continue === false ? (findText(json.stopReason) ?? "It gave no reason.") : null,
    message: findText(json.systemMessage),
  };
}

function findBlock(event: HookEvent, json: Record<string, unknown>, own: Record<string, unknown>): string | null {
  if (event === "PreToolUse" && own.permissionDecision !== undefined) {
    const reason = findText(own.permissionDecisionReason) ?? "It gave no reason.";
    if (own.permissionDecision === "deny") return reason;
    return own.permissionDecision === "ask" ? `Nobody can be asked for permission here. ${reason}` : null;
  }
  return json.decision === "block" ? (findText(json.reason) ?? "It gave no reason.") : null;
}

function findText(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? cut(value) : null;
}

/** The size limit of a hook's output. */
const answerCharactersMax = 10_000;

const cut = (text: string) =>
  text.length > answerCharactersMax ? `${text.slice(0, answerCharactersMax).toWellFormed()}…` : text;
