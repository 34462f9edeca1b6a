// A project as its members use it, for deploying and for talking to its agent, with access to its
// spares.
import type { HttpClient } from "./http-client.ts";
import type { Bench } from "./saved-work.ts";

const pollPauseMs = 3;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Settings {
  setup: string[];
}

/** Opens a project. */
export function createProjectClient({ world }: Pick<Bench, "world">, client: HttpClient, id: string) {
  const path = `/api/projects/${id}`;
  const agent = `${path}/settings/agentic-deploy`;
  const inObject = (statement: string) => world.objectSql("ProjectObject", id, statement);
  const state = async () => JSON.parse((await client.get(`${path}/deploy-messages`)).text).data;
  const spares = async () => {
    const found = world.database.prepare("SELECT sandbox_key AS key, state FROM sandbox_spares WHERE project_id = ?1");
    return (await found.bind(id).all<{ key: string; state: string }>()).results;
  };
  const project = {
    id,
    inObject,
    settings: async (): Promise<Settings> => JSON.parse((await client.get(`${path}/settings`)).text).data,
    change: async (settings: Settings) => void (await client.put(`${path}/settings`, settings)),
    say: (userResponse: string) => client.post(agent, { userResponse }),
    messages: () => client.get(`${path}/deploy-messages`),
    list: () => client.get(`${path}/deploys`),
    cancel: async () => void (await client.post(`${agent}/cancel`, {})),
    delete: () => client.delete(path),
    /**
     * Deploys, and returns the milliseconds until it is live. Resolves once its spares are ready
     * and nothing runs.
     */
    async deploy(): Promise<number> {
      const startedAt = performance.now();
      await client.post(agent, {});
      for (;;) {
        const { status, error } = await state();
        if (status === "warming_pool" || status === "deployed") break;
        if (status === "failed" || status === "cancelled") throw new Error(`the Deploy ended ${status}: ${error}`);
        await sleep(pollPauseMs);
      }
      const ms = performance.now() - startedAt;
      while ((await state()).status !== "deployed") await sleep(pollPauseMs);
      return ms;
    },
    /** Waits until the agent's turn has started. */
    async works(): Promise<void> {
      const running = "SELECT count(*) AS running FROM turns WHERE status = 'running'";
      while ((await inObject(running))[0]?.running !== 1) await sleep(pollPauseMs);
      await sleep(200);
    },
    async emptyQueue(): Promise<void> {
      const { messages } = JSON.parse((await client.get(`${agent}/queue`)).text).data;
      for (const { id: waiting } of messages) await client.delete(`${agent}/queue/${waiting}`);
    },
    /** Waits until a spare is ready. Returns its key. */
    async spare(): Promise<string> {
      for (;;) {
        const ready = (await spares()).find((spare) => spare.state === "ready");
        if (ready) return ready.key;
        await sleep(20);
      }
    },
    /** Keeps sessions from claiming the ready spare, until the pool is checked again. */
    async hideSpare(): Promise<void> {
      await project.spare();
      await world.database.prepare("UPDATE sandbox_spares SET state = 'making' WHERE project_id = ?1").bind(id).run();
    },
  };
  return project;
}

export type DeployedProject = ReturnType<typeof createProjectClient>;
