// The object of a cron run: one per opened run. It hosts the run's single turn, and decides how the
// run ends.

import { service } from "../../src/access/rules/actor.ts";
import type { ProductToolName } from "../../src/chat/rules/agent-profile.ts";
import type { TurnLinkClaim } from "../../src/chat/rules/chat.ts";
import { publishUsage } from "../../src/chat/rules/turn.ts";
import { toWireMessage } from "../../src/chat/wire/message.ts";
import type { MessagePageRequest } from "../../src/chat/wire/message-page.ts";
import { createCronAgentProfile } from "../../src/cron/rules/agent-profile.ts";
import { isRunLive, type RunToBegin, sendEndAgain, startRun, stopRun } from "../../src/cron/rules/run.ts";
import type { RunStop } from "../../src/cron/rules/run-status.ts";
import { waitAtMost } from "../../src/lib/timeout.ts";
import { decided } from "../../src/rules/decision.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { deleteOwnedObjects } from "../../src/storage/attachments.ts";
import { getSandboxObject } from "../address.ts";
import { readMessagePage } from "../chat/message-page.ts";
import { waitForUsageReport } from "../chat/model-calls.ts";
import { toMessagesJson } from "../chat/transcript.ts";
import { TurnOwnerObject } from "../chat/turn-owner-object.ts";
import { createCronRunContext } from "./context.ts";
import { readDiagnostics } from "./diagnostics.ts";
import type { CronRunRpc } from "./rpc.ts";

/**
 * The longest wait for the sandbox and the database to be notified of a stop. A notification that
 * takes longer is retried after the response.
 */
const stopWaitMs = 900;

export class CronRunObject extends TurnOwnerObject implements CronRunRpc {
  protected readonly context = createCronRunContext(this.ctx, this.env);

  async create(run: RunToBegin): Promise<boolean> {
    // The run may have been abandoned or deleted while this call was on its way.
    if (this.ctx.storage.kv.get("isOver") === true) return true;
    this.context.shell.decide((state, now) => startRun(state, run, now));
    return false;
  }

  async start(key: string): Promise<void> {
    const { run } = this.context.store.find() ?? {};
    if (!run) return;
    this.context.key.value = key;
    // Not stored, because a reminder starts a run that has not started.
    this.context.shell.attempt({ type: "start-turn", id: run.id });
  }

  async stop(stop: RunStop): Promise<Refusal | null> {
    const { decide, shell, store } = this.context;
    if (store.find() === null) this.ctx.storage.kv.put("isOver", true);
    const stopped = decide((state, now) => stopRun(state, stop, now));
    if (isRefusal(stopped)) return stopped;
    const { run } = store.find() ?? {};
    const isStopped = run && shell.settled({ type: "stop-turn", id: run.id });
    await waitAtMost(Promise.all([shell.settled({ type: "report-end" }), isStopped]), stopWaitMs);
    return null;
  }

  async read() {
    const { run } = this.context.store.find() ?? {};
    return run ? { run, reply: this.context.chat.conversation.readReply(run.id) } : null;
  }

  async diagnostics() {
    return readDiagnostics(this.context, Date.now());
  }

  async messages(): Promise<ReadableStream<Uint8Array>> {
    const { id = "", projectId = "" } = this.context.store.find()?.run ?? {};
    return toMessagesJson(this.context.chat.transcript, (message) => toWireMessage({ id, projectId }, message));
  }

  async messagePage(request: MessagePageRequest): Promise<string> {
    const { id = "", projectId = "" } = this.context.store.find()?.run ?? {};
    return readMessagePage(this.context.chat, request, (message) => toWireMessage({ id, projectId }, message));
  }

  async delete(): Promise<void> {
    const { env, store, shell, chat } = this.context;
    const { run } = store.find() ?? {};
    this.ctx.storage.kv.put("isOver", true);
    chat.owner.decide(service, publishUsage);
    if (run) await waitForUsageReport(this.context, run.id);
    shell.decide(() => decided(null, null, [{ type: "forget-all" }]));
    if (run?.status === "running") {
      const sandbox = getSandboxObject(env, run.mainSandboxKey);
      await sandbox.stopTurn(run.id);
      await sandbox.release(run.id);
    }
    if (run) await deleteOwnedObjects(env, { type: "cron-run", id: run.id, cronId: run.cronId });
  }

  async isTurnLive({ turnId, generation }: TurnLinkClaim): Promise<boolean> {
    const state = this.context.store.find();
    return state !== null && state.run.id === turnId && isRunLive(state, generation);
  }

  async isOpen(): Promise<boolean> {
    return this.context.store.find()?.run.status === "running";
  }

  async checkTool(claim: TurnLinkClaim, tool: ProductToolName): Promise<Refusal | null> {
    const { run } = this.context.store.find() ?? {};
    if (!run || !(await this.isTurnLive(claim))) return refuse("FORBIDDEN", "This run is over.");
    return createCronAgentProfile(run).tools.includes(tool)
      ? null
      : refuse("FORBIDDEN", `A cron run has no tool ${tool}.`);
  }

  override async wake(): Promise<void> {
    this.context.decide(sendEndAgain);
    await super.wake();
  }
}
