// A double of the platform's container API with its documented behaviour: `start` returns before
// the container is ready, `running` does not mean ready, starting a running container throws, the
// disk is lost with the instance, and an instance may stop without warning. An instance runs the
// real sandbox program, as a process of the sandbox host.
import { inject } from "vitest";
import { programPort } from "../../../src/sandbox/rules/program-version.ts";

type Platform = Pick<
  Container,
  | "running"
  | "start"
  | "monitor"
  | "destroy"
  | "signal"
  | "setInactivityTimeout"
  | "interceptOutboundHttp"
  | "interceptAllOutboundHttp"
  | "interceptOutboundHttps"
>;

export interface PlatformContainer extends Platform {
  getTcpPort(port: number): Pick<Fetcher, "fetch">;
  /** Where the program of the next start listens: at another port in an earlier image. */
  imagePort: number;
  /** The options of each start, in order. */
  starts: (ContainerStartupOptions | undefined)[];
  /** What is caught of its requests, in order: those of the last start, and again after it. */
  caught: string[];
  /** How many of the next registrations fail. */
  refusesToCatch: number;
  /** The values of the inactivity timeout, in order. */
  timeouts: number[];
  /** The failures of the next starts, in order. */
  failures: (keyof typeof refusals | { exitCode: number })[];
  /** The number of `monitor` calls that wait. They keep the object awake. */
  readonly waiting: number;
  /** Restarts the object: promises of the former one stay pending. */
  changeHands(): void;
  /** The instance stops by itself. */
  lose(): Promise<void>;
}

interface Instance {
  /** The instance's name at the sandbox host. */
  name: string;
  /** Settles when the platform has placed the instance, or has failed to. */
  placed: PromiseWithResolvers<void>;
  isReady: boolean;
  /** Where its program listens. */
  port: number;
}

const bootMs = 120;
/** The platform detects the end of an instance after this delay. */
const noticeMs = 30;
const notListening = (port: number) => new Error(`the container is not listening in the TCP address 10.0.0.1:${port}`);
const refusals = {
  "no instance": new Error("there is no container instance that can be provided to this durable object"),
  "too many": new Error("you are requesting too many containers per second, please try again later"),
  "not begun": new Error("Container failed to start"),
  forgotten: new Error("monitor() cannot be called on a container that is not running."),
};
const exited = (code: number) => new Error(`container exited with unexpected exit code: ${code}`);

const containers = new Map<string, PlatformContainer>();

/**
 * Returns the container of a key: the same one during all tests, also after its object restarts.
 */
export function platformContainer(key: string): PlatformContainer {
  const known = containers.get(key) ?? createPlatformContainer(key);
  containers.set(key, known);
  return known;
}

function createPlatformContainer(key: string): PlatformContainer {
  const { hostUrl } = inject("drivers");
  let instance: Instance | null = null;
  /** How the last instance ended; null while that is not known. */
  let lastEnd: { error: Error | null } | null = null;
  const watchers: ((error: Error | null) => void)[] = [];

  async function boot(of: Instance, secret: string): Promise<void> {
    await scheduler.wait(bootMs);
    const failure = container.failures.shift();
    if (typeof failure === "string") {
      end(of, refusals[failure]);
      return of.placed.reject(refusals[failure]);
    }
    of.placed.resolve();
    if (failure) return end(of, failure.exitCode === 0 ? null : exited(failure.exitCode));
    await call("PUT", of, JSON.stringify({ secret, env: {} }));
    if (instance === of) of.isReady = true;
    else await call("DELETE", of);
  }

  function end(of: Instance, error: Error | null): void {
    if (instance !== of) return;
    instance = null;
    lastEnd = { error };
    for (const watcher of watchers.splice(0)) watcher(error);
  }

  async function call(method: string, { name }: Instance, body: string | null = null): Promise<void> {
    await (await fetch(`${hostUrl}/sandboxes/${name}`, { method, body })).body?.cancel();
  }

  async function carry(of: Instance, port: number, request: Request): Promise<Response> {
    const { protocol, pathname, search } = new URL(request.url);
    if (protocol !== "http:") throw new Error("Connecting to a container using HTTPS is not currently supported");
    if (port !== of.port) throw notListening(port);
    const answer = await fetch(new Request(`${hostUrl}/sandboxes/${of.name}/program${pathname}${search}`, request));
    // The platform knows no header of its own for these. What the program says in place of a
    // service is signed by it.
    if (answer.headers.has("x-sandbox-boot")) return answer;
    if (answer.headers.has("x-sandbox-unreachable")) throw notListening(port);
    if (answer.headers.has("x-sandbox-missing") || answer.status === 502) throw new Error("Network connection lost.");
    return answer;
  }

  async function note(what: string): Promise<void> {
    if (container.refusesToCatch > 0) {
      container.refusesToCatch -= 1;
      throw new Error("the platform does not catch requests now");
    }
    container.caught.push(what);
  }

  const container: PlatformContainer = {
    caught: [],
    refusesToCatch: 0,
    interceptOutboundHttp: (host) => note(`http ${host}`),
    interceptAllOutboundHttp: () => note("all http"),
    interceptOutboundHttps: (host) => note(`https ${host}`),
    imagePort: programPort,
    starts: [],
    timeouts: [],
    failures: [],
    get running() {
      return instance !== null;
    },
    get waiting() {
      return watchers.length;
    },
    start(options) {
      if (instance) throw new Error("start() cannot be called on a container that is already running.");
      container.starts.push(options);
      const name = `${key}i${container.starts.length}`;
      instance = { name, placed: Promise.withResolvers(), isReady: false, port: container.imagePort };
      void boot(instance, options?.env?.SANDBOX_SECRET ?? "");
    },
    monitor() {
      if (!instance && lastEnd) return lastEnd.error ? Promise.reject(lastEnd.error) : Promise.resolve();
      if (!instance) throw refusals.forgotten;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      watchers.push((error) => (error ? reject(error) : resolve()));
      return promise;
    },
    async destroy() {
      const of = instance;
      if (!of) return;
      if (of.isReady) await call("DELETE", of);
      void scheduler.wait(noticeMs).then(() => end(of, exited(137)));
    },
    signal: () => void container.destroy(),
    async setInactivityTimeout(ms) {
      if (!instance) throw new Error("setInactivityTimeout() cannot be called on a container that is not running.");
      container.timeouts.push(Number(ms));
    },
    getTcpPort: (port) => ({
      async fetch(input: RequestInfo | URL, init?: RequestInit) {
        await instance?.placed.promise;
        if (!instance?.isReady) throw notListening(port);
        return await carry(instance, port, new Request(input, init));
      },
    }),
    changeHands() {
      watchers.length = 0;
    },
    async lose() {
      const of = instance;
      if (!of) return;
      await call("DELETE", of);
      void scheduler.wait(noticeMs).then(() => end(of, exited(1)));
    },
  };
  return container;
}
