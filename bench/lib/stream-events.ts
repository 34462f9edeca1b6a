// Events of a session's stream as a long conversation sends them, to measure who reads them.
import type { StateEvent } from "../../packages/client/src/state.ts";

const deltasPerText = 40;
const toolsPerTurn = 5;

/** Creates this many events: turns of texts, which grow by deltas, and of tools. */
export function createStreamEvents(count: number): StateEvent[] {
  const events: StateEvent[] = [];
  const send = (type: string, data: unknown) => events.push({ id: String(events.length + 1), type, data });
  for (let turn = 1; events.length < count; turn++) {
    const jobId = `job-${turn}`;
    const said = { jobId, createdAt: "2026-11-25T10:00:00.000Z", attachments: [], author: null };
    const sendJob = (status: string) => send("job", { job: { id: jobId, jobNumber: turn, status } });
    const sendBlock = (index: number, block: object) =>
      send("block", { ...said, messageId: `answer-${turn}`, role: "assistant", index, block });
    const user = { ...said, messageId: `user-${turn}`, role: "user", index: 0, delivery: "job" };
    send("block", { ...user, block: { type: "text", content: "Sort the board by time." } });
    sendJob("running");
    for (let index = 0; index < toolsPerTurn * 2; index += 2) {
      sendBlock(index, { type: "text", content: "" });
      for (let at = 0; at < deltasPerText; at++)
        send("delta", { jobId, messageId: `answer-${turn}`, index, delta: "word ", at: at * "word ".length });
      for (const status of ["running", "completed"])
        sendBlock(index + 1, { type: "tool", tool: "bash", title: "npm test", status, output: "12 tests passed\n" });
    }
    sendJob("completed");
    send("end", { jobId, status: "completed", error: null, errorCode: null });
  }
  return events.slice(0, count);
}
