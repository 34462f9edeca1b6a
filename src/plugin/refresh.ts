// Reads the Official Marketplaces: daily, and immediately if never read before. Each page reads one
// thing, and the sweep's object continues with the next until nothing is due. What cannot be read
// is not offered, and the log says why.
import { packTar } from "modern-tar";
import { toBase64Url } from "../lib/base64url.ts";
import { getErrorMessage } from "../lib/error-text.ts";
import { createId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { marketplaceRefreshMs, marketplaceRetryMs, pluginManifestBytes, unconfirmedObjectMs } from "../rules/limits.ts";
import { recordUnconfirmed } from "../storage/bodies.ts";
import {
  claimMarketplace,
  claimPlugins,
  type MarketplaceRow,
  type PluginReading,
  type PluginRow,
  postponePlugins,
  recordMarketplaceRead,
  saveManifest,
  saveMarketplaces,
  savePluginReading,
} from "./queries/marketplaces.ts";
import { type CodeHostReader, findCommit, readArchiveEntries } from "./repository.ts";
import { checkSize, formatPluginContent, type PluginFile, readPlugin, withEntryParts } from "./rules/contents.ts";
import { marketplaceManifest, readManifest, readMarketplaces } from "./rules/offered.ts";
import { type EntryParts, isOfEntry } from "./rules/plugin.ts";
import { ArchiveRefused } from "./tar.ts";

export interface RefreshEnv extends CodeHostReader {
  DB: D1Database;
  STORE: R2Bucket;
  MARKETPLACES?: string;
}

/** The number of plugins of one repository that a page reads, with four calls each. */
const pluginsPerPage = 40;

/** Reads one thing that is due. Returns where to continue; null if nothing was due. */
export async function refreshMarketplaces(
  env: RefreshEnv,
  { now, after }: { now: number; after: string },
): Promise<string | null> {
  if (after === "") await saveMarketplaces(env.DB, readMarketplaces(env.MARKETPLACES), now);
  const marketplace = await claimMarketplace(env.DB, now);
  if (marketplace !== null) {
    await readMarketplace(env, marketplace, now);
    return "more";
  }
  const plugins = await claimPlugins(env.DB, now, pluginsPerPage);
  if (plugins.length === 0) return null;
  await readPlugins(env, plugins, now);
  return "more";
}

async function readMarketplace(env: RefreshEnv, row: MarketplaceRow, now: number): Promise<void> {
  const { repository, ref, provider } = row;
  try {
    const sha = await findCommit(env, repository, ref);
    if (sha !== row.readCommit) {
      const text = await manifestAt(env, repository, sha, marketplaceManifest[provider]);
      const manifest = readManifest(text, { repository, sha, hostUrl: env.CODE_HOST_GIT_URL });
      if (typeof manifest === "string") throw new ArchiveRefused(manifest);
      for (const { name, refusal } of manifest.plugins)
        if (refusal !== null) log.info("plugin.not_offered", { plugin: `${name}@${manifest.name}`, error: refusal });
      await saveManifest(env.DB, row, manifest, now);
    }
    await recordMarketplaceRead(env.DB, row, { readCommit: sha, dueAt: now + marketplaceRefreshMs });
  } catch (error) {
    // It stays unchanged.
    log.warn("marketplace.read_failed", { repository, error });
    await recordMarketplaceRead(env.DB, row, { dueAt: now + marketplaceRetryMs });
  }
}

async function manifestAt(env: RefreshEnv, repository: string, sha: string, path: string): Promise<string> {
  for await (const entry of readArchiveEntries(env, repository, sha)) {
    if (entry.path !== path || entry.type !== "file") continue;
    if (entry.size > pluginManifestBytes) throw new ArchiveRefused("its manifest is too long");
    return new TextDecoder().decode(await entry.read());
  }
  throw new ArchiveRefused(`it has no ${path}`);
}

/** Reads plugins of one source. */
async function readPlugins(env: RefreshEnv, rows: PluginRow[], now: number): Promise<void> {
  const [first] = rows;
  if (!first || first.sourceRepository === null) return;
  const { sourceRepository: repository, sourceRef, sourceSha } = first;
  let sha = sourceSha ?? "";
  try {
    sha = sourceSha ?? (await findCommit(env, repository, sourceRef));
    const moved = rows.filter(({ readCommit }) => readCommit !== sha);
    const still = rows.filter(({ readCommit }) => readCommit === sha);
    if (still.length > 0) await postponePlugins(env.DB, still, now + marketplaceRefreshMs);
    if (moved.length > 0) await readFolders(env, repository, sha, moved, now);
  } catch (error) {
    const reason = getErrorMessage(error);
    log.warn("plugin.read_failed", { repository, error: reason });
    if (!(error instanceof ArchiveRefused)) return await postponePlugins(env.DB, rows, now + marketplaceRetryMs);
    for (const row of rows) await savePluginReading(env.DB, row, sha, { type: "refused", refusal: reason }, now);
  }
}

/** The files of a plugin as they arrive, or why it is refused. */
interface Folder {
  path: string;
  parts: EntryParts | null;
  rows: PluginRow[];
  files: PluginFile[];
  bytes: number;
  refusal: string | null;
}

/**
 * Reads the folders of plugins in one pass over the archive. Each is saved once the archive has
 * passed it, so that only few are in memory.
 */
async function readFolders(
  env: RefreshEnv,
  repository: string,
  sha: string,
  rows: PluginRow[],
  now: number,
): Promise<void> {
  const left = new Map<string, Folder>();
  const formatKey = ({ path, parts }: Pick<Folder, "path" | "parts">) => JSON.stringify([path, parts]);
  for (const row of rows) {
    const of = { path: row.sourcePath, parts: row.entryParts };
    const folder = left.get(formatKey(of)) ?? { ...of, rows: [], files: [], bytes: 0, refusal: null };
    folder.rows.push(row);
    left.set(formatKey(of), folder);
  }
  const settle = async (folder: Folder) => {
    left.delete(formatKey(folder));
    const reading = await saveFolder(env, folder);
    for (const row of folder.rows) {
      if (reading.type === "refused") log.info("plugin.not_offered", { plugin: row.id, error: reading.refusal });
      await savePluginReading(env.DB, row, sha, reading, now);
    }
  };
  for await (const entry of readArchiveEntries(env, repository, sha)) {
    const holds = ({ path }: Folder) => path === "" || entry.path.startsWith(`${path}/`);
    for (const folder of [...left.values()])
      if ((folder.files.length > 0 || folder.refusal !== null) && !holds(folder)) await settle(folder);
    const within = ({ path }: Folder) => (path === "" ? entry.path : entry.path.slice(path.length + 1));
    const holding = [...left.values()].filter((folder) => holds(folder) && isOfEntry(within(folder), folder.parts));
    if (holding.length === 0 || entry.type === "folder") continue;
    const taking = holding.filter((folder) => isTaken(folder, entry));
    if (taking.length === 0) continue;
    const bytes = await entry.read();
    for (const folder of taking) {
      folder.files.push({ path: within(folder), isExecutable: entry.isExecutable, bytes });
      folder.bytes += bytes.length;
    }
  }
  for (const folder of left.values()) await settle(folder);
}

/**
 * True if a folder accepts an entry. A folder with a forbidden entry is refused, and releases its
 * files.
 */
function isTaken(folder: Folder, entry: { type: string; size: number }): boolean {
  if (folder.refusal !== null) return false;
  folder.refusal =
    entry.type === "file"
      ? checkSize(entry, folder.files.length, folder.bytes)
      : "it has a file that is a link or a device";
  if (folder.refusal === null) return true;
  folder.files = [];
  return false;
}

async function saveFolder(env: RefreshEnv, { files: found, parts, refusal }: Folder): Promise<PluginReading> {
  if (refusal !== null) return { type: "refused", refusal };
  const files = withEntryParts(found, parts);
  if (typeof files === "string") return { type: "refused", refusal: files };
  const contents = readPlugin(files);
  if ("refusal" in contents) return { type: "refused", refusal: contents.refusal };
  const hashed = await Promise.all(
    files.map(async ({ path, isExecutable, bytes }) => ({ path, isExecutable, digest: await sha256(bytes) })),
  );
  const hash = await sha256(new TextEncoder().encode(formatPluginContent(hashed)));
  const bodyKey = `plugins/${hash}/${createId()}.tar`;
  await recordUnconfirmed(env.DB, [bodyKey], Date.now() + unconfirmedObjectMs);
  const tar = await packTar(
    files.map(({ path, isExecutable, bytes }) => ({
      header: { name: path, size: bytes.length, type: "file", mode: isExecutable ? 0o755 : 0o644, mtime: new Date(0) },
      body: bytes,
    })),
  );
  await env.STORE.put(bodyKey, tar, { httpMetadata: { contentType: "application/x-tar" } });
  return { type: "read", contents, hash, bodyKey };
}

async function sha256(bytes: Uint8Array): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
