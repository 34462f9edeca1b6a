// Reads public repositories of the code host: the commit of a branch or a tag, and the archive of a
// commit. It sends no credential of the service, and follows redirects only to the code host and
// its archive host.
import { createGunzip } from "node:zlib";
import { readBodyBytes } from "../lib/byte-stream.ts";
import { pluginArchiveBytes, pluginArchiveMs, pluginArchiveUnpackedBytes } from "../rules/limits.ts";
import { ArchiveRefused, readTarEntries, type TarEntry } from "./tar.ts";

export interface CodeHostReader {
  CODE_HOST_GIT_URL: string;
  /** The function that makes requests. */
  fetch: typeof fetch;
}

const redirectsMax = 3;
/** The size limit of the list of branches and tags, which is searched for one ref. */
const refsBytesMax = 16 * 1_024 * 1_024;
const refsLineBytesMax = 64 * 1_024;

/**
 * The commit of a branch, a tag or the default branch. Throws a readable error if it does not
 * exist.
 */
export async function findCommit(host: CodeHostReader, repository: string, ref: string | null): Promise<string> {
  const signal = AbortSignal.timeout(pluginArchiveMs);
  const body = await open(host, `/${repository}.git/info/refs?service=git-upload-pack`, signal);
  const wanted = ref === null ? ["HEAD"] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  const found = new Map<string, string>();
  let unfinished = "";
  let bytes = 0;
  const decoder = new TextDecoder("latin1");
  for await (const chunk of readBodyBytes(body)) {
    bytes += chunk.length;
    if (bytes > refsBytesMax) throw new ArchiveRefused("its repository has too many branches and tags");
    const [rest = "", ...others] = decoder.decode(chunk).split("\n");
    const lines = [unfinished + rest, ...others];
    if (lines.some(({ length }) => length > refsLineBytesMax))
      throw new ArchiveRefused("a line in the list of its branches and tags is too long");
    unfinished = lines.pop() ?? "";
    for (const line of lines) {
      const parsed = parseRef(line);
      if (parsed !== null && wanted.includes(parsed.name)) found.set(parsed.name, parsed.sha);
    }
    if (ref === null && found.size > 0) break;
  }
  const commit = wanted.map((name) => found.get(name)).find((sha) => sha !== undefined);
  if (commit === undefined) throw new ArchiveRefused(`its repository ${repository} has no ${ref ?? "default branch"}`);
  return commit;
}

/**
 * Parses a line of the list of branches and tags; null if it names none. The line may be hostile,
 * so a pattern that tries many starts would take too long.
 */
function parseRef(line: string): { sha: string; name: string } | null {
  // The first line has the server's capabilities after a NUL.
  const [ref = ""] = line.split("\0", 1);
  const space = ref.indexOf(" ");
  const sha = ref.slice(0, Math.max(0, space)).slice(-40);
  if (!/^[0-9a-f]{40}$/.test(sha)) return null;
  // A peeled tag ends with `^{}` and follows the tag.
  return { sha, name: ref.slice(space + 1).replace(/\^\{\}$/, "") };
}

/** The entries of the archive of a commit. It is unpacked only as fast as it is read. */
export async function* readArchiveEntries(
  host: CodeHostReader,
  repository: string,
  commit: string,
): AsyncGenerator<TarEntry> {
  const signal = AbortSignal.timeout(pluginArchiveMs);
  const body = await open(host, `/${repository}/archive/${commit}.tar.gz`, signal);
  yield* readTarEntries(readUnpacked(body, signal));
}

/**
 * node:zlib waits for its reader. `DecompressionStream` does not, and would unpack a zip bomb into
 * memory.
 */
export async function* readUnpacked(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 64 * 1_024 });
  let sent = 0;
  const feeding = (async () => {
    for await (const chunk of readBodyBytes(body)) {
      signal.throwIfAborted();
      sent += chunk.length;
      if (sent > pluginArchiveBytes) throw new ArchiveRefused("its archive is too long");
      // The callback runs once the chunk has been unpacked and its output read.
      await new Promise<void>((resolve, reject) => gunzip.write(chunk, (error) => (error ? reject(error) : resolve())));
    }
    gunzip.end();
  })().catch((error: unknown) => void gunzip.destroy(error instanceof Error ? error : new Error(String(error))));
  let unpackedBytes = 0;
  try {
    for await (const chunk of gunzip) {
      signal.throwIfAborted();
      unpackedBytes += chunk.length;
      if (unpackedBytes > pluginArchiveUnpackedBytes) throw new ArchiveRefused("its archive is too long when unpacked");
      yield chunk;
    }
  } catch (error) {
    throw isBroken(error) ? new ArchiveRefused("its archive is none") : error;
  } finally {
    gunzip.destroy();
    void feeding;
  }
}

/** True for the errors of node:zlib about bytes that it cannot unpack. */
function isBroken(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}

/**
 * The body until the signal aborts. An aborted request may leave its body without an end, and its
 * reader waiting.
 */
export function withAbort(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
  });
  aborted.catch(() => {});
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await Promise.race([reader.read(), aborted]);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        reader.cancel(error).catch(() => {});
        throw error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Requests a path of the code host. Follows redirects itself, to check their host. */
async function open(host: CodeHostReader, path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  let url = new URL(`${host.CODE_HOST_GIT_URL.replace(/\/$/, "")}${path}`);
  const allowed = [url.host, `codeload.${url.host}`];
  const { protocol } = url;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const answer = await host.fetch(url, { redirect: "manual", signal, headers: { "user-agent": "switchyard" } });
    const location = answer.headers.get("location");
    if (answer.status >= 300 && answer.status < 400 && location !== null) {
      await answer.body?.cancel();
      url = new URL(location, url);
      const leadsOut =
        url.protocol !== protocol || !allowed.includes(url.host) || url.username !== "" || url.password !== "";
      if (leadsOut) throw new ArchiveRefused("its repository leads to another host");
      continue;
    }
    if (answer.ok && answer.body) return withAbort(answer.body, signal);
    await answer.body?.cancel();
    if (answer.status >= 500 || answer.status === 429) throw new Error(`the code host answered ${answer.status}`);
    throw new ArchiveRefused(`the code host answered ${answer.status} for its repository`);
  }
  throw new ArchiveRefused("its repository leads on and on");
}
