// The cron object: one per cron, and the authority on its record, its projects' counts and pauses,
// its runs in flight and its next slot.

import type { Actor } from "../../src/access/rules/actor.ts";
import type { CronRow } from "../../src/cron/queries/crons.ts";
import { writeCron } from "../../src/cron/queries/writes.ts";
import { getCronChange } from "../../src/cron/rules/activity-events.ts";
import {
  type CronChanges,
  createCron,
  deleteCron,
  type NewCron,
  noCron,
  tooManyCrons,
  updateZone,
} from "../../src/cron/rules/cron.ts";
import { getCronWriter } from "../../src/cron/rules/last-writer.ts";
import { deleteProject, resumeProject, updateCron } from "../../src/cron/rules/project-pause.ts";
import type { CronRun } from "../../src/cron/rules/run.ts";
import { waitAtMost } from "../../src/lib/timeout.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { cronsPerWorkspace } from "../../src/rules/limits.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { ServiceObject } from "../object/service-object.ts";
import { type CronContext, createCronContext, withMemberAction } from "./context.ts";
import { fireNow, fireOneSlot } from "./fire.ts";
import type { CronRpc, RunNow } from "./rpc.ts";
import { deleteExpiredRuns, endRun } from "./runs.ts";

/** The longest wait for the index. A change that the index does not show by then shows later. */
const indexWaitMs = 5_000;
/** The longest wait for the runs of a deleted cron to stop. Their keys are revoked by then. */
const stopWaitMs = 1_000;

export class CronObject extends ServiceObject implements CronRpc {
  readonly #context = createCronContext(this.ctx, this.env);

  async create(command: NewCron, by: Actor): Promise<CronRow | Refusal | null> {
    // A repeat of the request that created the cron does not bring it back.
    if (this.ctx.storage.kv.get("isDeleted") === true) return noCron;
    return await saveNewCron(this.#context, command, by);
  }

  async update({ changes, zone, by }: { changes: CronChanges; zone: string; by: Actor }): Promise<Refusal | null> {
    return await this.#change("index-cron", () =>
      this.#context.decide((state, now) =>
        withMemberAction(
          updateCron(state, { changes, zone, by: getCronWriter(by) }, now),
          state,
          getCronChange(state.cron, changes.enabled),
          by,
        ),
      ),
    );
  }

  async resumeProject({ projectId, zone, by }: { projectId: string; zone: string; by: Actor }) {
    return await this.#change("index-cron", () =>
      this.#context.decide((state, now) => {
        const resumed = resumeProject(state, { projectId, zone }, now);
        const after = isRefusal(resumed) ? null : resumed.state;
        return withMemberAction(resumed, state, getCronChange(state.cron, after?.cron.enabled), by);
      }),
    );
  }

  async runNow(request: RunNow, repeat: Idempotency | null) {
    return await fireNow(this.#context, request, repeat);
  }

  async fireSlot(slot: number | null) {
    return await fireOneSlot(this.#context, slot);
  }

  async delete(by: Actor): Promise<Refusal | null> {
    const inFlight = this.#context.store.find()?.inFlight ?? [];
    const refusal = await this.#change("forget-cron", () => {
      const deleted = this.#context.decide((state) => withMemberAction(deleteCron(state), state, "deleted", by));
      // No `await` has run since the decision, so both are stored or neither.
      if (deleted === null) this.ctx.storage.kv.put("isDeleted", true);
      return deleted;
    });
    if (refusal) return refusal;
    const stops = inFlight.map(({ runId }) => this.#context.shell.settled({ type: "stop-run", id: runId }));
    await waitAtMost(Promise.all(stops), stopWaitMs);
    return null;
  }

  async updateZone(zone: string): Promise<void> {
    await this.#change("index-cron", () => this.#context.decide((state, now) => updateZone(state, zone, now)));
  }

  async deleteProject(projectId: string): Promise<void> {
    this.#context.decide((state) => deleteProject(state, projectId));
  }

  async runEnded(run: CronRun, summary: string | null): Promise<void> {
    await endRun(this.#context, run, summary);
  }

  async wake(): Promise<void> {
    await deleteExpiredRuns(this.#context, this.ctx.id.name ?? "");
    await this.#context.shell.rearm();
  }

  async retryParked(): Promise<number> {
    return await this.#context.shell.retryParked();
  }

  override async alarm(): Promise<void> {
    await this.#context.shell.alarm();
  }

  /** Makes a change, and returns once lists show it. */
  async #change(effect: "index-cron" | "forget-cron", decide: () => null | Refusal): Promise<Refusal | null> {
    const outcome = decide();
    if (isRefusal(outcome)) return outcome;
    await waitAtMost(this.#context.shell.settled({ type: effect }), indexWaitMs);
    return null;
  }
}

/**
 * Returns the cron as reads show it; null for a repeat, which must be read. Its rows are written
 * first, because the limit of the workspace counts rows. `deleteExpiredRuns` deletes rows without a
 * cron.
 */
async function saveNewCron(
  { env, store, shell, withLock }: CronContext,
  command: NewCron,
  by: Actor,
): Promise<CronRow | Refusal | null> {
  return await withLock("index", async () => {
    if (store.find() !== null) return null;
    const now = Date.now();
    const planned = createCron(null, command, now);
    if (isRefusal(planned) || planned.state === null) return isRefusal(planned) ? planned : null;
    const row = await writeCron(env.DB, planned.state, cronsPerWorkspace);
    if (row === null) return tooManyCrons;
    return shell.decide((state) => withMemberAction(createCron(state, command, now), state, "created", by)) ?? row;
  });
}
