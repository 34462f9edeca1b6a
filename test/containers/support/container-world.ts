// A one-machine world whose sandboxes are containers, and what a test does to these without the
// world's knowledge.
import { readdir, readFile } from "node:fs/promises";
import { createDockerClient, readEngineSettings } from "../../../practice/container-engine/engine.ts";
import { endContainers } from "../../../practice/container-engine/engine-sandboxes.ts";
import { deleteNetwork, getNetworkName } from "../../../practice/container-engine/network.ts";
import { type Client, createClient, type Job, type OpenedSession, type Step, script } from "../../support/client.ts";
import { createWorld, type Ended, type RunningWorld } from "../../support/running-world.ts";
import { until } from "../../support/until.ts";

export interface ContainerWorld {
  world: RunningWorld;
  owner: Client;
  /** Kills every process of the service and starts it again. */
  killAndStart(): Promise<void>;
  /** Creates a session, whose first turn takes these steps. */
  openSession(...steps: Step[]): Promise<OpenedSession>;
  /** Runs a turn of one command. Returns its output. */
  readOutput(session: OpenedSession, command: string): Promise<string>;
  /** Begins a turn, and resolves when its first command runs. */
  begin(session: OpenedSession, ...steps: Step[]): Promise<string>;
  ended(session: OpenedSession, jobId: string): Promise<Job>;
  /** Resolves when the work of a session's ended turn is in the store. */
  saved(session: OpenedSession): Promise<void>;
  pause(session: OpenedSession): Promise<void>;
  findContainer(session: OpenedSession): Promise<SandboxContainer>;
  /** Ends the service as Ctrl-C does. */
  end(): Promise<Ended>;
  remove(): Promise<void>;
}

/** A container, found by the name that its processes see. */
export interface SandboxContainer {
  id: string;
  /** Sends a signal to its first process. */
  signal(name: string): Promise<void>;
  /** Runs a command inside as root. */
  exec(...command: string[]): Promise<string>;
  docker: ReturnType<typeof createDockerClient>;
  /** The id of its first process on this machine. */
  firstProcess(): Promise<number>;
  /** Resolves when it has ended. */
  over(): Promise<unknown>;
}

/** Starts the world on the engine of the tests. */
export async function startContainerWorld(): Promise<ContainerWorld> {
  const engine = readEngineSettings(process.env);
  const docker = createDockerClient(engine);
  const options = { flags: ["--containers"], env: { DOCKER_HOST: engine.socket, WRANGLER_DOCKER_BIN: engine.client } };
  const world = await createWorld();
  await world.start(undefined, options);
  let owner = createClient(world.address());
  let isEnded = false;

  async function readOutput({ path }: OpenedSession, command: string): Promise<string> {
    const job = await owner.run(path, { bash: command }, { say: "Done." });
    if (job.status !== "completed") throw new Error(`The turn ${job.status}: ${job.error}`);
    return String((await owner.listBlocks(path, job.id))[0]?.output);
  }

  return {
    world,
    get owner() {
      return owner;
    },
    async killAndStart() {
      await world.killAll();
      await world.start(undefined, options);
      owner = createClient(world.address());
    },
    async openSession(...steps) {
      const session = await owner.createSession({ content: script(...steps, { say: "Done." }) });
      const job = await owner.jobUntil(session.path, session.jobId);
      if (job.status !== "completed") throw new Error(`The first turn ${job.status}: ${job.error}`);
      return session;
    },
    readOutput,
    async begin({ path }, ...steps) {
      const sent = await owner.send(path, script(...steps));
      const jobId: string = sent.body.data.chatJobId;
      await until("the command to run", async () =>
        (await owner.listBlocks(path, jobId)).some(({ type }) => type === "tool"),
      );
      return jobId;
    },
    ended: ({ path }, jobId) => owner.jobUntil(path, jobId),
    async saved({ id }) {
      const sandboxKey = await owner.getSandboxKey(id);
      await until("the work to be saved", () => isSaved(world.stateDir, sandboxKey));
    },
    async pause({ id }) {
      const { workspaceId } = world.address();
      const stop = { sessionIds: [id] };
      const { body } = await owner.post(`/api/organizations/${workspaceId}/stop-sandboxes`, stop);
      if (body.data.sessions[0].stopped !== true) throw new Error(`The sandbox did not stop: ${JSON.stringify(body)}`);
    },
    async findContainer(session) {
      // A container has the host name of the one whose network it shares.
      const host = (await readOutput(session, "hostname")).trim();
      const ids = (await docker("ps", "--quiet", "--no-trunc")).trim().split("\n");
      const modes = await docker("inspect", "--format", "{{.Id}} {{.HostConfig.NetworkMode}}", ...ids);
      const id = new RegExp(`^(\\S+) container:${host}`, "m").exec(modes)?.[1];
      if (!id) throw new Error(`No container has the network of ${host}.`);
      return {
        id,
        docker,
        signal: async (name) => void (await docker("kill", "--signal", name, id)),
        exec: (...command) => docker("exec", "--user", "root", id, ...command),
        firstProcess: async () => Number(await docker("inspect", "--format", "{{.State.Pid}}", id)),
        over: () => docker("wait", id).catch(() => {}),
      };
    },
    end() {
      isEnded = true;
      return world.interrupt();
    },
    async remove() {
      if (!isEnded) await world.killAll();
      const folder = `${world.stateDir}/cloudflare`;
      await endContainers({ docker }, folder);
      await deleteNetwork({ docker }, getNetworkName(folder));
      await world.remove();
    },
  };
}

/** True once the store holds work of a sandbox: its keys begin with the sandbox's. */
async function isSaved(stateDir: string, sandboxKey: string): Promise<boolean> {
  const folder = `${stateDir}/cloudflare/r2`;
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.sqlite(-wal)?$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(`${folder}/${name}`, "latin1")));
  return texts.some((text) => text.includes(`sandboxes/${sandboxKey}/`));
}
