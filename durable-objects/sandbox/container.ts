// The container object: one per sandbox key, only in production. It owns the container and obeys the container driver. The sandbox object decides
// when a sandbox starts, sleeps and ends.
import { Container } from "@cloudflare/containers";
import type { Env } from "../../src/env.ts";
import { reasonOf } from "../../src/error-text.ts";
import { programPort } from "../../src/rules/sandbox/program-port.ts";
import { brokenHeader, missingHeader, unreachableHeader } from "../../src/sandbox/program-headers.ts";
import { sandboxObject } from "../address.ts";
import { createKeyedLock } from "../object/keyed-lock.ts";
import { nameOf } from "../object/name.ts";
import { within } from "../object/timeout.ts";
import type { ContainerRpc } from "./rpc.ts";

/** Under this name the object keeps the port of the program in its container, which may be of an earlier image. */
const portName = "programPort";
/** The port in images of before that was kept. */
const earlierPort = 8080;

const instanceWaitMs = 30_000;
const programWaitMs = 30_000;
const pollEveryMs = 100;
const endWaitMs = 15_000;
const endLookEveryMs = 20;

/** How long the platform keeps the container while its object sleeps, for example between two alarms. */
const inactivityMs = 60 * 60_000;

/** The sandbox states without a container. */
const withoutContainer = ["absent", "paused", "gone"];

export class SandboxContainer extends Container<Env> implements ContainerRpc {
  // This is not an idle time: the sandbox object is asked this often whether the container is still needed.
  override sleepAfter = "15m";
  // Needed for clones, packages and the service's own address. The container holds no secret but those of its sandbox.
  override enableInternet = true;

  readonly #platform = openPlatform(this.ctx);
  readonly #withLock = createKeyedLock();
  #start = new AbortController();

  /** Starts the program on a fresh disk. Throws if it already runs, or does not start; a failed start leaves nothing behind. */
  async startProgram(secret: string): Promise<void> {
    const start = new AbortController();
    this.#start = start;
    await this.#withLock("life", async () => {
      if (this.#platform.running) throw new Error("The sandbox runs already.");
      try {
        start.signal.throwIfAborted();
        this.ctx.storage.kv.put(portName, programPort);
        await this.startAndWaitForPorts({
          ports: programPort,
          // The complete environment, apart from what the image sets.
          startOptions: { envVars: { SANDBOX_SECRET: secret } },
          cancellationOptions: {
            abort: start.signal,
            instanceGetTimeoutMS: instanceWaitMs,
            portReadyTimeoutMS: programWaitMs,
            waitInterval: pollEveryMs,
          },
        });
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
    return this.#platform.running;
  }

  /** Forwards a request to the program in the container. Unlike its base class, it never starts the container. */
  override async fetch(request: Request): Promise<Response> {
    const port = this.ctx.storage.kv.get<number>(portName) ?? earlierPort;
    const { pathname, search } = new URL(request.url);
    if (!this.#platform.running) return refused(404, missingHeader);
    try {
      return await this.#platform.getTcpPort(port).fetch(`http://localhost:${port}${pathname}${search}`, request);
    } catch (error) {
      if (!this.#platform.running) return refused(404, missingHeader);
      if (isNotListening(error)) return refused(502, unreachableHeader);
      this.onError(error);
      return refused(502, brokenHeader);
    }
  }

  /** The container has stopped. The sandbox object checks whether that was expected. */
  override onStop(): void {
    this.ctx.waitUntil(this.#readStatus().catch((error: unknown) => this.onError(error)));
  }

  /** Ends a container that no sandbox uses any more, as after an end that failed. */
  override async onActivityExpired(): Promise<void> {
    const start = this.#start;
    const { state } = await this.#readStatus();
    if (withoutContainer.includes(state) && this.#start === start) await this.endProgram();
  }

  override onError(error: unknown): void {
    console.error("container:", reasonOf(error));
  }

  async #end(): Promise<void> {
    const end = Date.now() + endWaitMs;
    // The library hears how a container ended only if its start succeeded. Unheard, the end would be an unhandled rejection.
    void (Reflect.get(this, "monitor") as Promise<unknown> | undefined)?.catch(() => {});
    if (this.#platform.running) await within(this.destroy(), endWaitMs);
    // The platform refuses a start until it has noted the end.
    while (this.#platform.running) {
      if (Date.now() > end) throw new Error("The container did not end in time.");
      await scheduler.wait(endLookEveryMs);
    }
  }

  async #readStatus() {
    return await sandboxObject(this.env, nameOf(this.ctx)).status();
  }
}

/** The object's container. The platform forgets the timeout of a running one when the object restarts. */
function openPlatform(ctx: DurableObjectState): NonNullable<DurableObjectState["container"]> {
  const { container } = ctx;
  if (!container) throw new Error("This object has no container.");
  if (container.running) ctx.waitUntil(container.setInactivityTimeout(inactivityMs));
  return container;
}

/** Recognizes the platform's message. It gives no other sign. */
function isNotListening(error: unknown): boolean {
  return error instanceof Error && /not listening/i.test(error.message);
}

function refused(status: number, header: string): Response {
  return new Response(null, { status, headers: { [header]: "1" } });
}
