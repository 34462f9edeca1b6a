// Saved work: a base layer that the sandboxes of a project share, and on top of it a layer of what one of them holds besides. An archiver
// makes and reads them; here its streams are carried from and to whoever called.
import { type ChildProcess, spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import type { Folders } from "../folders.ts";
import { refusal } from "../http/refusal.ts";
import { standingWall } from "../process/wall.ts";
import { readProject } from "../project/checkout-record.ts";
import { type ArchiverTask, refusedExitCode } from "./layers/archiver-task.ts";
import { dropUnpacked } from "./layers/unpacked.ts";
import { requireSavable } from "./saved-folders.ts";

const archiverFile = fileURLToPath(new URL("./archiver.mjs", import.meta.url));
const reportCharactersMax = 4_000;
/** Keeps what is read and dropped from piling up: the archiver stays small, however much goes through it. */
const smallHeap = "--max-semi-space-size=1";

/** Streams a layer into the response. One that cannot be finished is broken off, so that it is never taken for whole. */
export async function sendLayer(folders: Folders, task: ArchiverTask, response: ServerResponse): Promise<void> {
  requireSavable(folders);
  const archiver = startArchiver(folders, task);
  archiver.process.stdin?.end();
  response.writeHead(200, { "content-type": "application/octet-stream" });
  try {
    if (archiver.process.stdout) await pipeline(archiver.process.stdout, response, { end: false });
    await archiver.succeeded;
    response.end();
  } catch (error) {
    archiver.process.kill("SIGKILL");
    response.destroy();
    throw error;
  }
}

/** Brings a layer from a request into a sandbox that holds no checkout yet. One that is broken changes nothing. */
export async function takeLayer(folders: Folders, task: ArchiverTask, request: IncomingMessage): Promise<unknown> {
  if (readProject(folders)) throw refusal("BAD_CALL", "An archive is restored into an empty sandbox only.");
  const archiver = startArchiver(folders, task);
  let answer = "";
  archiver.process.stdout?.on("data", (chunk: Buffer) => {
    answer += chunk;
  });
  try {
    // Whatever the archiver would not read, its end tells why.
    if (archiver.process.stdin) await pipeline(request, archiver.process.stdin).catch(() => {});
    await archiver.succeeded;
  } catch (error) {
    await dropUnpacked(folders);
    throw error;
  }
  return answer === "" ? undefined : JSON.parse(answer);
}

/** Starts an archiver; `succeeded` rejects with its refusal, or with what it printed when it broke. */
function startArchiver(folders: Folders, task: ArchiverTask): { process: ChildProcess; succeeded: Promise<void> } {
  const child = spawn(process.execPath, [smallHeap, archiverFile, folders.root, JSON.stringify(task)], {
    cwd: folders.root,
    // By its home it is found and ended with everything else of the sandbox.
    env: {
      PATH: process.env.PATH ?? "/usr/bin:/bin",
      LANG: "C.UTF-8",
      HOME: folders.home,
      TMPDIR: folders.tmp,
      SANDBOX_WALL: standingWall(),
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let report = "";
  child.stderr.on("data", (chunk: Buffer) => {
    report = (report + chunk).slice(0, reportCharactersMax);
  });
  const succeeded = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(failureOf(code, report))));
  });
  // Awaited only behind the stream.
  succeeded.catch(() => {});
  return { process: child, succeeded };
}

function failureOf(code: number | null, report: string): Error {
  if (code !== refusedExitCode) return new Error(`The archiver ended with ${code}. ${report}`);
  const { code: refused, message } = JSON.parse(report);
  return refusal(refused, message);
}
