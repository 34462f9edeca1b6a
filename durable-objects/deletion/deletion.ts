// The removal object: one per deleted workspace or project. Each alarm removes a page of what that held and sets the next one, so a removal that
// is interrupted continues where it was.
import { DurableObject } from "cloudflare:workers";
import { endRemoval, findRemoval } from "../../src/deletion/queries.ts";
import { nextLook, type RemovalName } from "../../src/deletion/rules/deletion.ts";
import type { Env } from "../../src/env.ts";
import { reasonOf } from "../../src/error-text.ts";
import { removePage } from "./deletion-page.ts";
import type { RemovalRpc } from "./rpc.ts";

const retryMs = 5_000;

export class RemovalObject extends DurableObject<Env> implements RemovalRpc {
  async begin(name: RemovalName): Promise<void> {
    this.ctx.storage.kv.put("name", name);
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now());
  }

  /** Never throws: the platform gives an alarm up that fails again and again. */
  override async alarm(): Promise<void> {
    const name = this.ctx.storage.kv.get<RemovalName>("name");
    if (!name) return;
    const waitMs = await this.#look(name).catch((error: unknown) => {
      console.error("a removal is tried again", name.type, name.id, reasonOf(error));
      return retryMs;
    });
    if (waitMs === null) await this.ctx.storage.deleteAll();
    else await this.ctx.storage.setAlarm(Date.now() + waitMs);
  }

  /** Removes one page. Answers the time until the next one; null if the removal is over. */
  async #look(name: RemovalName): Promise<number | null> {
    const removal = await findRemoval(this.env.DB, name);
    if (!removal) return null;
    const { kv } = this.ctx.storage;
    const page = await removePage(this.env, removal, {
      find: () => kv.get<string[]>("projectsLeft") ?? null,
      keep: (ids) => (ids === null ? kv.delete("projectsLeft") : kv.put("projectsLeft", ids)),
    });
    const waitMs = nextLook(removal, page, Date.now());
    if (waitMs === null) await endRemoval(this.env.DB, name);
    return waitMs;
  }
}
