// The container object, used only in production. It owns a container and obeys the container
// driver. The sandbox object decides when a sandbox starts, sleeps and ends. It uses the platform's
// own interface; `docs/containers.md` says why. While its container runs, it stores a few values
// and an alarm. After the container's end it stores nothing, so that the platform forgets the
// object.
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";
import { getErrorMessage } from "../../src/lib/error-text.ts";
import { log } from "../../src/lib/log.ts";
import { waitAtMost } from "../../src/lib/timeout.ts";
import { nothingHolds, serviceHost } from "../../src/network/rules/decide.ts";
import { type EgressProps, listCaught, toContainerVariables, toEgressProps } from "../../src/network/rules/egress.ts";
import { type NetworkInForce, openInForce, type SeenHost } from "../../src/network/rules/network.ts";
import { networkSeenMax } from "../../src/rules/limits.ts";
import type { HeldNetwork } from "../../src/sandbox/program/driver.ts";
import { getStartRetryDelayMs, isNotStarted, isOutOfRoom } from "../../src/sandbox/rules/container.ts";
import { programPort } from "../../src/sandbox/rules/program-version.ts";
import { brokenHeader, missingHeader, unreachableHeader } from "../../src/sandbox-protocol/headers.ts";
import { getSandboxObject } from "../address.ts";
import { getObjectName } from "../object/database.ts";
import { createKeyedLock } from "../object/keyed-lock.ts";
import { parseContainerName } from "./address.ts";
import type { ContainerRpc } from "./rpc.ts";

/**
 * The key under which the object stores the program's port in its container, which may run an
 * earlier image.
 */
const portName = "programPort";
/** The keys of the network that the container is held to, and of the hosts that it asked for. */
const networkName = "network";
const seenName = "seen";

const roomWaitMs = 30_000;
const programWaitMs = 30_000;
const pollEveryMs = 100;
const answerWaitMs = 5_000;
const endWaitMs = 15_000;
const endCheckEveryMs = 20;

/**
 * How long the platform keeps the container while its object sleeps, for example between two
 * alarms.
 */
const inactivityMs = 60 * 60_000;
/** How often the sandbox object is asked whether the container is still needed. */
const checkEveryMs = 15 * 60_000;

type Platform = NonNullable<DurableObjectState["container"]>;

/** What `src/worker.ts` exports for the platform to call. */
interface EgressExports {
  SandboxEgress(options: { props: EgressProps }): Fetcher;
}

export class SandboxContainer extends DurableObject<Env> implements ContainerRpc {
  readonly #platform = createPlatform(this.ctx);
  readonly #withLock = createKeyedLock();
  /** False after the object's own restart. */
  #hasRestoredAlarm = false;
  /** Settles when the requests of the running container are caught; null before that is tried. */
  #catching: Promise<void> | null = null;
  #start = new AbortController();

  /**
   * Starts the program on a fresh disk, held to a network. Throws if the program already runs, does
   * not start, or cannot be held to it. A failed start leaves nothing running.
   */
  async startProgram(secret: string, network: NetworkInForce): Promise<void> {
    if (network.mode !== "open" && this.env.SANDBOX_NETWORKS !== "held") throw new Error(nothingHolds);
    const start = new AbortController();
    this.#start = start;
    await this.#withLock("life", async () => {
      if (this.#platform.running) throw new Error("The sandbox is already running.");
      try {
        start.signal.throwIfAborted();
        this.ctx.storage.kv.put(portName, programPort);
        this.ctx.storage.kv.put(networkName, network);
        // The alarm is set first, because a container that is never checked would run forever.
        await this.#scheduleCheck();
        await this.#bringUp(secret, network, start.signal);
        await this.#platform.setInactivityTimeout(inactivityMs);
      } catch (error) {
        await this.#end();
        throw error;
      }
    });
  }

  /** Ends the program, and aborts a start. */
  async endProgram(): Promise<void> {
    this.#start.abort();
    await this.#withLock("life", () => this.#end());
  }

  async isRunning(): Promise<boolean> {
    await this.#restoreAlarm();
    return this.#platform.running;
  }

  async findNetwork(): Promise<HeldNetwork | null> {
    await this.#restoreAlarm();
    return this.#platform.running ? { network: this.#network(), seen: this.#seen() } : null;
  }

  /** Adds a host that the container asked for. */
  async recordSeen({ host, port, isAllowed, count }: SeenHost): Promise<void> {
    // An ended container must leave nothing stored.
    if (!this.#platform.running) return;
    const seen = this.#seen();
    const known = seen.find((one) => one.host === host && one.port === port);
    if (known) known.count += count;
    else if (seen.length < networkSeenMax) seen.push({ host, port, isAllowed, count });
    this.ctx.storage.kv.put(seenName, seen);
  }

  /** Forwards a request to the program in the container. It never starts the container. */
  override async fetch(request: Request): Promise<Response> {
    if (!this.#platform.running) return refused(404, missingHeader);
    if (!this.#hasRestoredAlarm) await this.#restoreAlarm();
    // Until then, what it asks for the service would find nobody. The container is not lost.
    if (!(await this.#ensureCaught())) return refused(503, brokenHeader);
    const port = this.ctx.storage.kv.get<number>(portName) ?? programPort;
    const { pathname, search } = new URL(request.url);
    try {
      return await this.#platform.getTcpPort(port).fetch(`http://localhost:${port}${pathname}${search}`, request);
    } catch (error) {
      if (!this.#platform.running) return refused(404, missingHeader);
      if (isNotListening(error)) return refused(502, unreachableHeader);
      logged(error);
      return refused(502, brokenHeader);
    }
  }

  /**
   * Ends a container that no sandbox uses any longer, for example after a failed end. Reports one
   * that ended by itself, which nobody has noticed yet if nobody called it.
   */
  override async alarm(): Promise<void> {
    if (!this.#platform.running) {
      await this.#withLock("life", () => this.#forget());
      return await this.#reportEnd().catch(logged);
    }
    // The next check is scheduled before this one, because this one may fail.
    await this.#scheduleCheck();
    await this.#ensureCaught();
    await this.#endIfUnwanted().catch(logged);
  }

  async #endIfUnwanted(): Promise<void> {
    const start = this.#start;
    const { sandboxKey, generation } = parseContainerName(getObjectName(this.ctx));
    const isWanted = await getSandboxObject(this.env, sandboxKey).isContainerWanted(generation);
    if (!isWanted && this.#start === start) await this.endProgram();
  }

  /** Restores the alarm of a running container if it was lost. */
  async #restoreAlarm(): Promise<void> {
    if (!this.#platform.running) return;
    this.#hasRestoredAlarm = true;
    if ((await this.ctx.storage.getAlarm()) === null) await this.#scheduleCheck();
  }

  /** The network of the container. One of an earlier deployment has stored none, and is open. */
  #network(): NetworkInForce {
    return this.ctx.storage.kv.get<NetworkInForce>(networkName) ?? openInForce;
  }

  #seen(): SeenHost[] {
    return this.ctx.storage.kv.get<SeenHost[]>(seenName) ?? [];
  }

  /**
   * Has the requests of a running container caught again, if this object restarted since its start.
   * Returns false if the platform does not do it. The next request tries again.
   */
  async #ensureCaught(): Promise<boolean> {
    this.#catching ??= this.#catchRequests(this.#network());
    try {
      await this.#catching;
      return true;
    } catch (error) {
      this.#catching = null;
      logged(error);
      return false;
    }
  }

  /**
   * Has the platform hand the container's requests to the entrypoint. The first registration that
   * matches a request counts, so the order is kept.
   */
  async #catchRequests(network: NetworkInForce): Promise<void> {
    const { ctx } = this;
    const container = parseContainerName(getObjectName(ctx));
    const { SandboxEgress } = ctx.exports as unknown as EgressExports;
    const egress = SandboxEgress({ props: toEgressProps({ containerId: ctx.id.toString(), container }, network) });
    const { http, isAllHttp, https } = listCaught(network);
    const platform = this.#platform;
    await platform.interceptOutboundHttp(serviceHost, egress);
    if (isAllHttp) await platform.interceptAllOutboundHttp(egress);
    await Promise.all([
      ...http.map((host) => platform.interceptOutboundHttp(host, egress)),
      ...https.map((host) => platform.interceptOutboundHttps(host, egress)),
    ]);
  }

  async #scheduleCheck(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + checkEveryMs);
  }

  /**
   * Waits until the program responds. The start is retried while the platform has no room for the
   * container, or is slow to start it.
   */
  async #bringUp(secret: string, network: NetworkInForce, signal: AbortSignal): Promise<void> {
    const roomBy = Date.now() + roomWaitMs;
    for (let attempt = 1; ; attempt++) {
      const failure = await this.#tryToBringUp(secret, network, { signal, by: roomBy + programWaitMs });
      if (failure === null) return;
      if (!(isOutOfRoom(failure) || isNotStarted(failure)) || Date.now() > roomBy) {
        throw new Error(`The container ended while it was being started: ${failure}`);
      }
      await scheduler.wait(getStartRetryDelayMs(attempt, Math.random()), { signal });
    }
  }

  /**
   * Returns null once the program responds, or why the container ended. Throws if neither happens
   * in time.
   */
  async #tryToBringUp(
    secret: string,
    network: NetworkInForce,
    { signal, by }: { signal: AbortSignal; by: number },
  ): Promise<string | null> {
    // Before the start, so that no request leaves the container undecided. It lasts for one start.
    this.#catching = this.#catchRequests(network);
    await this.#catching;
    signal.throwIfAborted();
    // The complete environment, apart from what the image sets.
    const env = { SANDBOX_SECRET: secret, ...toContainerVariables(network) };
    this.#platform.start({ enableInternet: network.mode === "open", env });
    while (this.#platform.running) {
      if (await isResponding(this.#platform, signal)) return null;
      signal.throwIfAborted();
      if (Date.now() > by) throw new Error("The program did not answer in time.");
      await scheduler.wait(pollEveryMs);
    }
    return await reasonOfEnd(this.#platform);
  }

  async #end(): Promise<void> {
    const end = Date.now() + endWaitMs;
    if (this.#platform.running) await waitAtMost(this.#platform.destroy(), endWaitMs);
    // The platform refuses a start until it has recorded the end.
    while (this.#platform.running) {
      if (Date.now() > end) throw new Error("The container did not end in time.");
      await scheduler.wait(endCheckEveryMs);
    }
    await this.#forget();
  }

  /**
   * Deletes everything that the object stores: its value, its alarm, and the tables of the class
   * that it was previously based on.
   */
  async #forget(): Promise<void> {
    if (!this.#platform.running) await this.ctx.storage.deleteAll();
  }

  /**
   * Reports the end. The sandbox object records the loss when it asks the program for its status.
   */
  async #reportEnd(): Promise<void> {
    await getSandboxObject(this.env, parseContainerName(getObjectName(this.ctx)).sandboxKey).status();
  }
}

/**
 * The object's container. The timeout is set again, because the platform forgets the timeout of a
 * running container when the object restarts.
 */
function createPlatform(ctx: DurableObjectState): Platform {
  const { container } = ctx;
  if (!container) throw new Error("This object has no container.");
  if (container.running) ctx.waitUntil(container.setInactivityTimeout(inactivityMs));
  return container;
}

/**
 * Why a container ended. It is asked only now: a `monitor` that waits keeps the object awake, and
 * billed, for as long as the container runs.
 */
async function reasonOfEnd(platform: Platform): Promise<string> {
  let reason = "its program exited";
  const listen = async () => await platform.monitor();
  const ended = listen().catch((error: unknown) => {
    reason = getErrorMessage(error);
  });
  await waitAtMost(ended, endWaitMs);
  return reason;
}

/** True once the program accepts a request, whatever its response. */
async function isResponding(platform: Platform, abort: AbortSignal): Promise<boolean> {
  try {
    const signal = AbortSignal.any([abort, AbortSignal.timeout(answerWaitMs)]);
    const answer = await platform.getTcpPort(programPort).fetch("http://localhost/ping", { signal });
    await answer.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

function logged(error: unknown): void {
  log.warn("container.failed", { error });
}

/** Recognizes the platform's message, because the platform gives no other sign. */
function isNotListening(error: unknown): boolean {
  return error instanceof Error && /not listening/i.test(error.message);
}

function refused(status: number, header: string): Response {
  return new Response(null, { status, headers: { [header]: "1" } });
}
