// A copy of a state folder, also while its service runs. Each database is copied at one moment, and
// the databases one after the other: first the relational one, so that it lists nothing that the
// copy does not have.
import { chmodSync } from "node:fs";
import { chmod, copyFile, cp, mkdir, readdir, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import type { DatabaseSync } from "node:sqlite";

export interface Backup {
  databases: number;
  files: number;
}

/** Folders below `cloudflare` in the order of their copy. The others can be made again. */
const stores = ["d1", "do", "r2"];
/** Private files at the top of a state folder, and the practice code host's folder. */
const topFiles = ["dev.json", "secrets.json", "service-keys.json", "operator-key"];
const codeHost = "forge";

/** Returns why the user with this id cannot make a backup, or null. */
export async function checkBackup(
  stateDir: string,
  target: string,
  userId = process.getuid?.(),
): Promise<string | null> {
  if (!(await exists(join(stateDir, "cloudflare"))))
    return `${stateDir} has no state of a service. Set STATE_DIR to the folder of the service.`;
  // Root's copy would be a state folder that the service cannot read.
  if (userId !== undefined && userId !== (await stat(stateDir)).uid)
    return `${stateDir} belongs to another user. Run the command as that user:  runuser -u "$(stat -c %U ${stateDir})" -- npm run backup -- ${target}`;
  const inside = relative(resolve(stateDir), resolve(target));
  if (!inside.startsWith("..")) return `${target} is in the state folder itself. Name another folder.`;
  if ((await exists(target)) && (await readdir(target)).length > 0)
    return `${target} is not empty. Name a new folder: a backup replaces nothing.`;
  return null;
}

/** Copies a state folder. Only the user can read the copy, which has the keys of the service. */
export async function createBackup(stateDir: string, target: string): Promise<Backup> {
  const { DatabaseSync } = await loadSqlite();
  const counts: Backup = { databases: 0, files: 0 };
  await mkdir(target, { recursive: true, mode: 0o700 });
  await chmod(target, 0o700);
  for (const name of topFiles) await copyIfThere(join(stateDir, name), join(target, name), counts);
  for (const store of stores) {
    const folder = join(stateDir, "cloudflare", store);
    const files = (await exists(folder)) ? await readdir(folder, { recursive: true, withFileTypes: true }) : [];
    // Stored files come before the database that lists them, and once more after it: none changes.
    const paths = files
      .filter((file) => file.isFile())
      .map((file) => relative(folder, join(file.parentPath, file.name)));
    const into = join(target, "cloudflare", store);
    await copyBlobs(folder, into, paths, counts);
    for (const path of paths.filter((one) => one.endsWith(".sqlite"))) {
      await mkdir(join(into, path, ".."), { recursive: true, mode: 0o700 });
      copyDatabase(DatabaseSync, join(folder, path), join(into, path));
      counts.databases += 1;
    }
    if (store === "r2") await copyBlobs(folder, into, await listBlobs(folder), counts);
  }
  if (await exists(join(stateDir, codeHost)))
    await cp(join(stateDir, codeHost), join(target, codeHost), { recursive: true });
  return counts;
}

/** Loads SQLite without Node's warning that it is experimental. */
async function loadSqlite(): Promise<typeof import("node:sqlite")> {
  const warn = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return await import("node:sqlite");
  } finally {
    process.emitWarning = warn;
  }
}

const isBlob = (path: string) => path.split(sep).includes("blobs");

async function listBlobs(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter(isBlob);
}

/** Copies the stored files that are not there yet. One that was deleted meanwhile is left out. */
async function copyBlobs(folder: string, into: string, paths: readonly string[], counts: Backup): Promise<void> {
  for (const path of paths.filter(isBlob)) {
    if (await exists(join(into, path))) continue;
    await mkdir(join(into, path, ".."), { recursive: true, mode: 0o700 });
    await copyIfThere(join(folder, path), join(into, path), counts);
  }
}

/**
 * Copies a database as it is at one moment, with what its log has and the file does not have yet.
 */
function copyDatabase(Database: typeof DatabaseSync, from: string, to: string): void {
  const database = new Database(from, { readOnly: true });
  try {
    database.exec("PRAGMA busy_timeout = 10000");
    database.prepare("VACUUM INTO ?").run(to);
    chmodSync(to, 0o600);
  } finally {
    database.close();
  }
}

async function copyIfThere(from: string, to: string, counts: Backup): Promise<void> {
  try {
    if (!(await stat(from)).isFile()) return;
    await copyFile(from, to);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
  counts.files += 1;
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
