// The routes of the program's HTTP API.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ZodMiniType } from "zod/mini";
import { protocolVersion } from "../../src/sandbox/rules/program-version.ts";
import { type ProgramStatus, programPaths, type SetupOutput } from "../../src/sandbox-protocol/protocol.ts";
import {
  branchFetchSchema,
  branchSchema,
  checkoutSchema,
  commitIdSchema,
  commitSchema,
  compactionSchema,
  fileWriteSchema,
  idSchema,
  linesSchema,
  pushSchema,
  servicesSchema,
  turnSchema,
} from "../../src/sandbox-protocol/schemas.ts";
import type { Agent } from "../agent/agent.ts";
import { listSkills } from "../agent/skills/project.ts";
import { receiveLayer, sendLayer } from "../archive/archive.ts";
import { baseFormatVersion, layerFormatVersion } from "../archive/layers/layer.ts";
import type { Folders } from "../folders.ts";
import { readLines } from "../git/anchored-lines.ts";
import { readChanges, readPatch, readUncommitted } from "../git/changes.ts";
import { commitAll, pushBranch, readGitState } from "../git/commit-and-push.ts";
import { readLog } from "../git/log.ts";
import { addNewestPack } from "../git/newest-pack.ts";
import { trackBranch } from "../git/tracked-branches.ts";
import { receiveWork, sendWork } from "../git/work.ts";
import type { Leave } from "../leave.ts";
import { createQueue } from "../process/task-queue.ts";
import { listIgnoredFolders } from "../project/base-checkout.ts";
import { ensureCheckout } from "../project/checkout.ts";
import { readProject, requireCheckout } from "../project/checkout-record.ts";
import { listFiles } from "../project/file-tree.ts";
import { readProjectFile, writeProjectFile } from "../project/files.ts";
import { followTargetBranch } from "../project/follow.ts";
import { createSetupEnd } from "../project/setup.ts";
import { checkRest, recordRest, waitUntilWhole } from "../rest-of-checkout.ts";
import type { Services } from "../services/services.ts";
import type { Turns } from "../turn/turns.ts";
import { readAs, readJson } from "./body.ts";
import { toRefusal } from "./refusal.ts";
import { answered, type Call, type Route, type RouteTable } from "./server.ts";

export interface Parts {
  bootId: string;
  folders: Folders;
  agent: Agent;
  turns: Turns;
  services: Services;
  leave: Leave;
}

/** After this time, a checkout or a base has started its first process. */
const agentLoadMs = 10;

const notWhole = "The sandbox could not be restored.";

/** In this time, the start of a sandbox without its history asks for services, and learns why. */
const startAsksMs = 2_000;

/** Enough for the longest file in any script, and for transferring a long conversation. */
const bodyLimitBytes = 16 * 1_024 * 1_024;

/** Written by `operate/cloudflare/image.ts`, next to the program in the image. */
const imageTag = readImageTag(join(dirname(process.argv[1] ?? ""), "image-tag"));

function readImageTag(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}

const formatVersions = [layerFormatVersion, baseFormatVersion];

/** Creates the routes. */
export function createRoutes({ bootId, folders, agent, turns, services, leave }: Parts): RouteTable {
  const setupEnd = createSetupEnd();
  /** Changes of the checkout and the services run one at a time. */
  const enqueue = createQueue();
  const inOrder = createQueue();
  const byHand = <Result>(act: () => Promise<Result>) => enqueue(() => turns.byHand(act));

  const status = async (): Promise<ProgramStatus> => ({
    protocolVersion,
    agentVersion: agent.version,
    programVersion: [...formatVersions, agent.version, process.version, process.platform, process.arch].join(" "),
    imageTag,
    checkedOut: readProject(folders) !== null,
    bootId,
    turnId: turns.runningId(),
    services: await services.status(),
  });

  const table: Record<string, { route: Route; status: number }> = {
    [`GET ${programPaths.status}`]: { route: status, status: 200 },
    [`PUT ${programPaths.checkout}`]: withBody(checkoutSchema, (checkout) =>
      enqueue(() => ensureCheckout(folders, checkout, { end: setupEnd, onRest: takeHistory })),
    ),
    [`GET ${programPaths.setupOutput}`]: { route: (): SetupOutput => ({ end: setupEnd.read() }), status: 200 },
    [`POST ${programPaths.followTargetBranch}`]: withBody(checkoutSchema, (checkout) =>
      byHand(() => followTargetBranch(folders, checkout)),
    ),
    [`PUT ${programPaths.services}`]: withBody(servicesSchema, (plan) => {
      checkRest();
      return enqueue(() => services.apply(plan));
    }),
    [`GET ${programPaths.serviceLog}`]: {
      route: ({ url }) => services.log(url.searchParams.get("name") ?? "", url.searchParams.get("after")),
      status: 200,
    },
    [`POST ${programPaths.turns}`]: withBody(turnSchema, turns.start, 202),
    [`POST ${programPaths.compactions}`]: withBody(compactionSchema, turns.compact),
    [`GET ${programPaths.files}`]: { route: () => listFiles(folders), status: 200 },
    [`GET ${programPaths.file}`]: {
      route: ({ url }) => readProjectFile(folders, url.searchParams.get("path") ?? ""),
      status: 200,
    },
    [`GET ${programPaths.skills}`]: { route: () => listSkills(folders), status: 200 },
    [`PUT ${programPaths.file}`]: withBody(fileWriteSchema, (file) =>
      // Writes run one at a time, so of two writers with one base, the second is refused.
      turns.byHand(() => inOrder(() => writeProjectFile(folders, file))),
    ),
    [`GET ${programPaths.gitState}`]: { route: ({ url }) => readGitState(folders, findBranch(url)), status: 200 },
    [`GET ${programPaths.gitChanges}`]: { route: ({ url }) => readChanges(folders, findBranch(url)), status: 200 },
    [`GET ${programPaths.gitPatch}`]: {
      route: ({ url }) => readPatch(folders, findBranch(url), url.searchParams.get("path")),
      status: 200,
    },
    [`GET ${programPaths.gitLog}`]: { route: ({ url }) => readLog(folders, findBranch(url)), status: 200 },
    [`POST ${programPaths.gitBranch}`]: withBody(branchFetchSchema, ({ branch, token }) =>
      trackBranch(folders, { remoteUrl: requireCheckout(folders).remoteUrl, token }, branch),
    ),
    [`POST ${programPaths.gitLines}`]: withBody(linesSchema, ({ base, anchors }) => readLines(folders, base, anchors)),
    [`GET ${programPaths.gitUncommitted}`]: { route: () => readUncommitted(folders), status: 200 },
    [`POST ${programPaths.gitCommit}`]: withBody(commitSchema, (commit) => byHand(() => commitAll(folders, commit))),
    [`POST ${programPaths.gitPush}`]: withBody(pushSchema, (push) => byHand(() => pushBranch(folders, push))),
    [`GET ${programPaths.gitWork}`]: { route: gitWorkOut, status: 200 },
    [`PUT ${programPaths.gitWork}`]: {
      route: ({ url, request }) =>
        enqueue(() => turns.byHand(() => receiveWork(folders, readCommit(url.searchParams.get("expected")), request))),
      status: 200,
    },
    [`GET ${programPaths.work}`]: { route: workOut, status: 200 },
    [`PUT ${programPaths.work}`]: {
      route: ({ request }) => enqueue(() => receiveLayer(folders, { type: "read-work" }, request)),
      status: 200,
    },
    [`GET ${programPaths.base}`]: { route: baseOut, status: 200 },
    [`PUT ${programPaths.base}`]: { route: baseIn, status: 200 },
  };

  async function gitWorkOut({ url: { searchParams }, response }: Call): Promise<typeof answered> {
    const known = searchParams.get("known");
    const have = searchParams.getAll("have").map(readCommit);
    await enqueue(() => sendWork(folders, { have, known: known === null ? null : readCommit(known) }, response));
    return answered;
  }

  async function workOut({ url, response }: Call): Promise<typeof answered> {
    const [baseId, id, known] = ["base", "id", "known"].map((name) => readId(url, name));
    await sendLayer(
      folders,
      { type: "write-work", baseId: baseId ?? null, id: id ?? null, known: known ?? null },
      response,
    );
    return answered;
  }

  async function baseOut({ url, response }: Call): Promise<typeof answered> {
    const id = readAs(idSchema, url.searchParams.get("id") ?? "");
    await enqueue(async () => {
      await waitUntilWhole();
      const newest = await addNewestPack(folders);
      const older = newest?.others.map((name) => `project/.git/objects/${name}`) ?? [];
      const last = [...older, ...(await listIgnoredFolders(folders))];
      await sendLayer(folders, { type: "write-base", id, last, boundary: newest?.boundary ?? null }, response);
    });
    return answered;
  }

  /** Ends the program and its turns, because the rest of the checkout never comes. */
  async function giveUp(reason: string): Promise<void> {
    leave.giveUp();
    await turns.endAll({ status: "failed", error: reason, errorCode: null });
  }

  /** Ends the program if the older commits never come. */
  function takeHistory(arriving: Promise<unknown>): void {
    recordRest("clone", arriving);
    void leave.holdFor(async () => {
      const refusal = await arriving.then(() => null, toRefusal);
      if (refusal === null) return;
      turns.takeNoMore();
      if (!turns.hasUndelivered()) await sleep(startAsksMs);
      await giveUp(refusal.message);
    });
  }

  /**
   * Responds early with the headers, once the checkout of the base is in place. The rest follows
   * while other calls are served. If that fails, the body is the refusal, and the program ends.
   */
  async function baseIn({ url, request, response }: Call): Promise<typeof answered | undefined> {
    const isEarly = isTrue(url, "early");
    const { promise: checkout, resolve } = Promise.withResolvers<"checkout">();
    // A start that is tried again may find the base of its first try half unpacked.
    await waitUntilWhole().catch(() => {});
    const task = { type: "read-base", beneathWork: isTrue(url, "beneathWork"), isEarly } as const;
    const { whole, first } = await enqueue(async () => {
      const receiving = receiveLayer(folders, task, request, () => resolve("checkout"));
      const reached = await Promise.race([receiving, checkout]);
      if (reached === "checkout") recordRest("base", receiving);
      return { whole: receiving, first: reached };
    });
    if (first !== "checkout") return undefined;
    response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
    const refusal = await whole.then(() => null, toRefusal);
    if (refusal !== null) await giveUp(`${notWhole} ${refusal.message}`);
    response.end(JSON.stringify(refusal));
    return answered;
  }

  /** Loads the agent while other processes check out a project or unpack a base. */
  const withAgent =
    (route: Route): Route =>
    (call) => {
      // The first turn waits for it too, and reports a failure.
      setTimeout(() => void agent.warmUp().catch(() => {}), agentLoadMs);
      return route(call);
    };

  /** The program's end does not interrupt a save or a change of the checkout. */
  const held =
    (route: Route): Route =>
    (call) =>
      leave.holdFor(() => route(call));

  return {
    find(method, path) {
      const stopped = method === "POST" ? turnToStop(path) : null;
      if (stopped !== null) return { route: () => turns.stop(readAs(idSchema, stopped)), status: 200 };
      const found = table[`${method} ${path}`];
      if (!found) return found;
      const { route } = found;
      const isRead = method === "GET" && path !== programPaths.work && path !== programPaths.base;
      const waits = isRead ? readsCommits(path) : actsInCheckout(path);
      const whole: Route = waits ? async (call) => await waitUntilWhole().then(() => route(call)) : route;
      if (isRead) return { ...found, route: whole };
      const fillsProject = path === programPaths.checkout || path === programPaths.base;
      return { ...found, route: held(fillsProject ? withAgent(whole) : whole) };
    },
  };
}

/** True for a call that would act in the checkout. */
function actsInCheckout(path: string): boolean {
  const { base, checkout, services, turns } = programPaths;
  return ![base, checkout, services, turns].some((one) => one === path);
}

/**
 * True for a read that compares commits or files. Git may track a file of an ignored folder, which
 * would seem deleted before it is unpacked.
 */
function readsCommits(path: string): boolean {
  const { gitState, gitChanges, gitPatch, gitLog, gitUncommitted, gitWork } = programPaths;
  return [gitState, gitChanges, gitPatch, gitLog, gitUncommitted, gitWork].some((one) => one === path);
}

/** A route with a body that is parsed by this schema. */
function withBody<Body>(schema: ZodMiniType<Body>, run: (body: Body) => unknown, status = 200) {
  const route: Route = async ({ request }) => run(readAs(schema, await readJson(request, bodyLimitBytes)));
  return { route, status };
}

function findBranch(url: URL): string | null {
  const base = url.searchParams.get("base");
  return base === null ? null : readAs(branchSchema, base);
}

function readId(url: URL, name: string): string | null {
  const id = url.searchParams.get(name);
  return id === null ? null : readAs(idSchema, id);
}

const readCommit = (id: string | null) => readAs(commitIdSchema, id);

const isTrue = (url: URL, name: string) => url.searchParams.get(name) === "true";

function turnToStop(path: string): string | null {
  const id = path.split("/")[2] ?? "";
  return path === programPaths.stopTurn(id) ? id : null;
}
