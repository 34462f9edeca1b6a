// What a turn took, in words: steps, time, tokens, money and model.
import type { Schemas, ShownMessage } from "@switchyard/client";
import { formatDuration } from "../ui/time.tsx";
import type { Job } from "./turns.ts";

/** How many tools the agent ran. */
function countSteps(messages: readonly ShownMessage[]): number {
  return messages.reduce((sum, { blocks }) => sum + blocks.filter(({ type }) => type === "tool").length, 0);
}

/** The steps in words; `154+ steps` where earlier ones were not read. */
export function formatSteps(messages: readonly ShownMessage[]): string | null {
  const steps = countSteps(messages);
  const answer = messages.find(({ role }) => role === "assistant");
  if (answer && answer.firstBlockIndex > 0) return `${steps.toLocaleString("en")}+ steps`;
  return steps === 0 ? null : formatCount(steps, "step");
}

/** `1 step`, `2,310 lines`. */
export function formatCount(count: number, one: string): string {
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

/** `640 tokens`, `18 k tokens`, `1.4 M tokens`. */
export function formatTokens({ inputTokens, cachedTokens, outputTokens }: Schemas["JobUsage"]): string {
  const count = inputTokens + cachedTokens + outputTokens;
  if (count < 1_000) return formatCount(count, "token");
  if (count < 1_000_000) return `${Math.round(count / 1_000)} k tokens`;
  return `${(count / 1_000_000).toFixed(1)} M tokens`;
}

/** `$0.11`; less than a cent is said so. */
export function formatCost(usd: number): string {
  return usd > 0 && usd < 0.01 ? "< $0.01" : usd.toLocaleString("en", { style: "currency", currency: "USD" });
}

/** How long a turn took, or has taken so far; null before it began. */
export function measureTurn(
  { startedAt, completedAt }: Pick<Job, "startedAt" | "completedAt">,
  now: number,
): number | null {
  if (startedAt === null) return null;
  return (completedAt === null ? now : Date.parse(completedAt)) - Date.parse(startedAt);
}

/** The parts of a foot, of those that are known. */
export function listFootParts(job: Job | null, steps: string | null, model: string | null, now: number): string[] {
  const ms = job && measureTurn(job, now);
  const usage = job?.usage;
  return [
    steps,
    ms === null ? null : formatDuration(ms),
    usage ? formatTokens(usage) : null,
    usage && usage.costUsd !== null ? formatCost(usage.costUsd) : null,
    model,
  ].filter((part) => part !== null);
}

/** What a turn's change of state is, for who does not see it; null for one that needs no words. */
export function tellTurn(before: Job | null, job: Job | null, messages: readonly ShownMessage[]): string | null {
  if (job === null || (before?.id === job.id && before.status === job.status)) return null;
  switch (job.status) {
    case "running":
      return before?.id === job.id || before === null ? null : "The agent works on your message.";
    case "awaiting_response":
      return `The agent asks: ${findQuestion(messages) ?? "what to do next?"}`;
    case "completed":
      return "The turn is done.";
    case "failed":
      return `The turn failed. ${job.error ?? ""}`.trim();
    case "cancelled":
      return "The turn was stopped.";
    default:
      return null;
  }
}

function findQuestion(messages: readonly ShownMessage[]): string | undefined {
  const asked = messages
    .flatMap(({ blocks }) => blocks)
    .findLast((block): block is Schemas["ClarificationBlock"] => block.type === "clarification");
  return asked?.clarificationData.questions[0]?.question;
}
