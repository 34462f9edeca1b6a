// Saved work: a base layer that the sandboxes of a project share, and a work layer with what one
// sandbox has changed. An archiver process writes and reads layers. This file connects its streams
// to requests and responses.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import { withConnectionClose } from "../http/relay.ts";
import { getOwnIds } from "../process/users.ts";
import { getWall } from "../process/wall.ts";
import { readProject } from "../project/checkout-record.ts";
import { deleteUnfinished } from "../rest-of-checkout.ts";
import { type ArchiverTask, checkoutInPlace, refusedExitCode, unchangedExitCode } from "./layers/archiver-task.ts";
import { deleteUnpacked } from "./layers/unpacked.ts";
import { requireSavable } from "./saved-folders.ts";

const archiverFile = join(import.meta.dirname, "archiver.cjs");
const reportCharactersMax = 4_000;
/**
 * Collects garbage early, so that the archiver stays small however much it streams. With less room,
 * it would copy the names of a large tree again and again.
 */
const smallHeap = "--max-semi-space-size=4";

/**
 * Streams a layer into the response, or responds with 304 if the sandbox is unchanged since the
 * save that the task names. After a failure the connection is cut, so that the caller cannot take
 * the layer for complete.
 */
export async function sendLayer(folders: Folders, task: ArchiverTask, response: ServerResponse): Promise<void> {
  requireSavable(folders);
  const archiver = startArchiver(folders, task);
  archiver.process.stdin?.end();
  try {
    const { stdout } = archiver.process;
    if (!stdout) throw new Error("The archiver has no output.");
    // Its first bytes, or its end.
    await once(stdout, "readable");
    if (stdout.readableLength === 0 && (await archiver.succeeded) === "unchanged")
      return void withConnectionClose(response).writeHead(304).end();
    response.writeHead(200, { "content-type": "application/octet-stream" });
    await pipeline(stdout, response, { end: false });
    await archiver.succeeded;
    response.end();
  } catch (error) {
    archiver.process.kill("SIGKILL");
    response.destroy();
    throw error;
  }
}

/**
 * Unpacks a layer from the request into a sandbox without a checkout. A broken layer changes
 * nothing, unless its checkout was already reported.
 */
export async function receiveLayer(
  folders: Folders,
  task: ArchiverTask,
  request: IncomingMessage,
  onCheckout = () => {},
): Promise<unknown> {
  if (readProject(folders)) throw createRefusal("BAD_CALL", "An archive is restored into an empty sandbox only.");
  const archiver = startArchiver(folders, task);
  let answer = "";
  const isReported = () => answer === checkoutInPlace;
  archiver.process.stdout?.on("data", (chunk: Buffer) => {
    answer += chunk;
    if (isReported()) onCheckout();
  });
  try {
    // The archiver stops reading when it fails. `succeeded` then rejects with the reason.
    if (archiver.process.stdin) await pipeline(request, archiver.process.stdin).catch(() => {});
    await archiver.succeeded;
  } catch (error) {
    await deleteUnpacked(folders);
    // Nobody has acted yet in a checkout that was not reported.
    if (!isReported()) await deleteUnfinished(folders);
    throw error;
  }
  return answer.trim() === "" ? undefined : JSON.parse(answer);
}

/**
 * Starts an archiver. `succeeded` rejects with its refusal, or with its error output after a crash.
 */
function startArchiver(
  folders: Folders,
  task: ArchiverTask,
): { process: ChildProcess; succeeded: Promise<"done" | "unchanged"> } {
  const child = spawn(process.execPath, [smallHeap, archiverFile, folders.root, JSON.stringify(task)], {
    cwd: folders.root,
    // When a sandbox is ended, its processes are found by HOME.
    env: {
      PATH: process.env.PATH ?? "/usr/bin:/bin",
      LANG: "C.UTF-8",
      HOME: folders.home,
      TMPDIR: folders.tmp,
      SANDBOX_WALL: getWall(),
    },
    ...getOwnIds(),
    stdio: ["pipe", "pipe", "pipe"],
  });
  let report = "";
  child.stderr.on("data", (chunk: Buffer) => {
    report = (report + chunk).slice(0, reportCharactersMax);
  });
  const succeeded = new Promise<"done" | "unchanged">((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve("done");
      else if (code === unchangedExitCode) resolve("unchanged");
      else reject(toFailure(code, report));
    });
  });
  // Without a handler, a failure before the stream ends would be an unhandled rejection.
  succeeded.catch(() => {});
  return { process: child, succeeded };
}

function toFailure(code: number | null, report: string): Error {
  if (code !== refusedExitCode) return new Error(`The archiver ended with ${code}. ${report}`);
  const { code: refused, message } = JSON.parse(report);
  return createRefusal(refused, message);
}
