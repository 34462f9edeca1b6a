// What the groups of measurements share: the world, its peers and its sessions. Each is created
// when a group first asks for it.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { claimFreePort } from "../practice/free-port.ts";
import { startWorld, type World } from "../practice/local-service.ts";
import { type Bare, startBare } from "./lib/bare.ts";
import { findOpencode, type Opencode, startOpencode } from "./lib/opencode.ts";
import { createProductClient, type ProductSession } from "./lib/product.ts";
import type { Bench } from "./lib/saved-work.ts";
import type { Sizes } from "./lib/sizes.ts";
import { longPast, shortPast } from "./measures/conversations.ts";
import { measureFirstTurns } from "./measures/turns.ts";

export interface Stage {
  sizes: Sizes;
  stateDir: string;
  service: () => Promise<Bench>;
  bare: () => Promise<Bare>;
  /** Null where opencode is not installed. */
  opencode: () => Promise<Opencode | null>;
  /** The measured first turns, with their sessions, whose sandboxes run. */
  firstTurns: () => ReturnType<typeof measureFirstTurns>;
  /** The session of the first turn. */
  demoSession: () => Promise<ProductSession>;
  /** Two sessions, one with a short conversation and one with a long one. */
  conversations: () => Promise<{ short: ProductSession; long: ProductSession }>;
  /**
   * Starts another service with a separate entry: on the same state, once the service itself is
   * closed, or on that of another folder.
   */
  startWorldFrom: (entry: string, stateDir?: string) => Promise<World>;
  /** An empty folder for the state of another service. */
  newStateDir: () => Promise<string>;
  /**
   * Ends everything that runs. A group that asks for the service afterwards gets a new one, on the
   * same state.
   */
  close: () => Promise<void>;
}

/** Prepares a stage in an empty folder. Nothing is started. */
export function createStage(folder: string, sizes: Sizes): Stage {
  const stateDir = join(folder, "state");
  const closers: (() => unknown)[] = [];
  const made = new Map<string, Promise<unknown>>();

  /** Creates a thing once, until the stage is closed. */
  function once<Thing>(name: string, make: () => Promise<Thing>): () => Promise<Thing> {
    return () => {
      const found = (made.get(name) as Promise<Thing> | undefined) ?? make();
      made.set(name, found);
      return found;
    };
  }

  const stage: Stage = {
    sizes,
    stateDir,
    service: once("service", async () => {
      const world = await startWorld({
        port: await claimFreePort(),
        stateDir,
        inspectsObjects: true,
        rateLimits: "off",
        hasMarketplaces: true,
        // Groups share a session, and a group may take minutes.
        idleMinutes: 10,
      });
      closers.push(world.close);
      const product = createProductClient(world);
      closers.push(product.close);
      return { world, stateDir, product };
    }),
    bare: once("bare", async () => {
      const { product } = await stage.service();
      // Another one of the same run begins with an empty database, too.
      const bare = await startBare(await mkdtemp(join(folder, "bare-")), product.headers);
      closers.push(bare.close);
      return bare;
    }),
    opencode: once("opencode", async () => {
      const binary = findOpencode();
      if (binary === null) return null;
      const { world } = await stage.service();
      const opencode = await startOpencode(binary, join(folder, "opencode"), world.providerUrl);
      closers.push(opencode.close);
      return opencode;
    }),
    firstTurns: once("first turns", async () => {
      const { product } = await stage.service();
      return measureFirstTurns(product, sizes.firstTurns);
    }),
    async demoSession() {
      const [session] = (await stage.firstTurns()).sessions;
      if (!session) throw new Error("no session came of the first turns");
      return session;
    },
    conversations: once("conversations", async () => {
      const { product } = await stage.service();
      const { session: short } = await product.create();
      await short.fill(shortPast);
      const { session: long } = await product.create();
      await long.fill(longPast);
      return { short, long };
    }),
    startWorldFrom: async (entry, otherStateDir = stateDir) =>
      startWorld({
        port: await claimFreePort(),
        stateDir: otherStateDir,
        entry,
        inspectsObjects: true,
        rateLimits: "off",
        hasMarketplaces: true,
      }),
    newStateDir: () => mkdtemp(join(folder, "state-")),
    async close() {
      made.clear();
      for (const close of closers.splice(0).reverse()) await close();
    },
  };
  return stage;
}
