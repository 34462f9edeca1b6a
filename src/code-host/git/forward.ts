// Forwards a git request to the code host with its token. Both directions are streamed. Failures
// become plain messages.
import { isRefusal } from "../../rules/refusal.ts";
import type { GitRemote } from "../code-host.ts";
import { formatPacket } from "./packet-line.ts";

export interface GitRequest {
  method: "GET" | "POST";
  /** The path after the repository's URL, with the query. */
  path: string;
  headers: Headers;
  body: ReadableStream<Uint8Array> | null;
}

/**
 * The timeout of a connection without a byte in either direction. It is shorter than the sandbox's
 * own timeout of a push.
 */
const gitStallMs = 30_000;

/**
 * The statuses after which the remote is renewed: the token has expired, or the repository has
 * another name.
 */
const renewableStatuses = [401, 301, 302, 307, 308, 404];

/**
 * Sends a request to the code host. A response with any status but 200 is replaced by a message of
 * the service.
 */
export async function forwardGit(remote: GitRemote, request: GitRequest, stallMs = gitStallMs): Promise<Response> {
  const { url, authorization } = remote;
  const { method, path, headers: from, body } = request;
  const stall = watchStall(stallMs);
  const headers = new Headers({ authorization });
  for (const name of ["accept", "content-type", "git-protocol", "user-agent"]) {
    const value = from.get(name);
    if (value !== null) headers.set(name, value);
  }
  // An uncompressed response can be forwarded unchanged.
  headers.set("accept-encoding", "identity");
  let answer: Response;
  try {
    const passed = body?.pipeThrough(stall.through()) ?? null;
    answer = await fetch(`${url}/${path}`, { method, headers, body: passed, redirect: "manual", signal: stall.signal });
  } catch {
    stall.end();
    if (stall.signal.aborted)
      return createGitFailure(504, "The code host does not answer. Nothing is lost: try again later.");
    return createGitFailure(502, "The code host cannot be reached. Nothing is lost: try again later.");
  }
  if (answer.status !== 200 || answer.body === null) {
    stall.end();
    await answer.body?.cancel();
    const isRenewable = renewableStatuses.includes(answer.status) && body === null;
    const renewed = isRenewable ? await remote.renewed?.() : null;
    if (!renewed || isRefusal(renewed)) return hostFailure(answer.status);
    // Every push and fetch starts with a request without a body, so the remote is renewed before a
    // body would have to be sent twice.
    return await forwardGit({ url: renewed.url, authorization: renewed.authorization }, request, stallMs);
  }
  const type = answer.headers.get("content-type") ?? "application/octet-stream";
  return new Response(stall.passOn(answer.body), {
    headers: { "cache-control": "no-store", "content-type": type },
  });
}

/** A failure as plain text, which git shows to its user. */
export function createGitFailure(
  status: 400 | 401 | 403 | 404 | 405 | 415 | 502 | 503 | 504,
  message: string,
): Response {
  return new Response(`${message}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}

/**
 * A refusal of a fetch that git shows to its user. Git shows no message of a response whose status
 * is not 200.
 */
export function createFetchFailure(message: string): Response {
  return new Response(formatPacket(`ERR ${message}`), {
    headers: { "cache-control": "no-store", "content-type": "application/x-git-upload-pack-result" },
  });
}

/**
 * The message for a failed response. The code host's own message is not forwarded, because it may
 * contain the credential, which a sandbox must not see.
 */
function hostFailure(status: number): Response {
  switch (status) {
    case 401:
    case 403:
      return createGitFailure(502, "The code host refused access to the repository. Reconnect it to the project.");
    case 301:
    case 302:
    case 307:
    case 308:
      return createGitFailure(502, "The repository has moved at the code host. Give the project its new name.");
    case 404:
      return createGitFailure(404, "The code host has no such repository.");
    case 429:
      return createGitFailure(502, "The code host accepts no more requests for now. Try again shortly.");
    default:
      return createGitFailure(502, `The code host failed (${status}). Nothing is lost: try again later.`);
  }
}

function watchStall(stallMs: number) {
  const stopped = new AbortController();
  const stop = () => stopped.abort(new Error("the code host does not answer"));
  let timer = setTimeout(stop, stallMs);
  function beat(): void {
    clearTimeout(timer);
    if (!stopped.signal.aborted) timer = setTimeout(stop, stallMs);
  }
  return {
    signal: stopped.signal,
    end: () => clearTimeout(timer),
    /** Passes the request. Every piece restarts the timer. */
    through: () =>
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          beat();
          controller.enqueue(chunk);
        },
        flush: beat,
      }),
    /** Passes the response. Every piece restarts the timer. */
    passOn(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
      const { readable, writable } = new IdentityTransformStream();
      void copyPieces(body, writable, beat).finally(() => clearTimeout(timer));
      return readable;
    },
  };
}

/** The pack of a clone has megabytes, and a piece of any size takes about the same time. */
const pieceBytes = 64 * 1024;

/**
 * Copies a body in large pieces. If one side breaks off, the other learns of it at the next piece.
 */
async function copyPieces(
  body: ReadableStream<Uint8Array>,
  to: WritableStream<Uint8Array>,
  onPiece: () => void,
): Promise<void> {
  const [reader, writer] = [body.getReader({ mode: "byob" }), to.getWriter()];
  try {
    for (let piece = new Uint8Array(pieceBytes); ; ) {
      const { value, done } = await reader.read(piece);
      if (done) break;
      onPiece();
      await writer.write(value);
      piece = new Uint8Array(value.buffer);
    }
    await writer.close();
  } catch (error) {
    await Promise.allSettled([reader.cancel(error), writer.abort(error)]);
  }
}
