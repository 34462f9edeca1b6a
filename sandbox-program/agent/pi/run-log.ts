// The log of a pi run: its model calls with their times, its retries, its tools and its errors, one
// line each.
import type { AgentSessionEvent } from "@earendil-works/pi-coding-agent";

/**
 * Creates a listener for pi's events. Each line goes to `onLine`. Inputs and results of tools are
 * not logged.
 */
export function createRunLog(onLine: (line: string) => void): (event: AgentSessionEvent) => void {
  let calledAt = Date.now();
  const toolsSince = new Map<string, number>();
  const passed = (since: number) => `${Date.now() - since} ms`;

  return (event) => {
    switch (event.type) {
      case "turn_start":
        calledAt = Date.now();
        return;
      case "message_end": {
        if (event.message.role !== "assistant") return;
        const { stopReason, errorMessage, usage } = event.message;
        const tokens = `${usage.input + usage.cacheRead + usage.cacheWrite} tokens in, ${usage.output} out`;
        const end = errorMessage === undefined ? stopReason : `${stopReason}: ${errorMessage}`;
        onLine(`model call: ${end}, ${passed(calledAt)}, ${tokens}`);
        return;
      }
      case "auto_retry_start":
        onLine(`try ${event.attempt} of ${event.maxAttempts} in ${event.delayMs} ms: ${event.errorMessage}`);
        calledAt = Date.now() + event.delayMs;
        return;
      case "compaction_start":
        onLine(`compaction begins: ${event.reason}`);
        return;
      case "compaction_end":
        onLine(
          `compaction ${event.result === undefined ? `failed: ${event.errorMessage ?? "no reason given"}` : "done"}`,
        );
        calledAt = Date.now();
        return;
      case "tool_execution_start":
        toolsSince.set(event.toolCallId, Date.now());
        return;
      case "tool_execution_end":
        onLine(
          `tool ${event.toolName}: ${event.isError ? "failed" : "done"}, ${passed(toolsSince.get(event.toolCallId) ?? Date.now())}`,
        );
        toolsSince.delete(event.toolCallId);
        return;
      default:
        return;
    }
  };
}
