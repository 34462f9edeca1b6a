// `npm start`: starts the whole service on one machine.
import "./fast-imports.ts";
import { findEngine } from "../practice/container-engine/engine.ts";
import { EarlierState } from "../practice/migrations.ts";
import { ImportFailed, readOwnRepository } from "../practice/own-repository/own-repository.ts";
import { findIsolation } from "../practice/sandbox-host/isolation.ts";
import { checkStateFolder } from "../practice/state-folder.ts";
import { openInBrowser } from "./browser.ts";
import { readEnvFile } from "./env-file.ts";
import { formatFlags, readStartFlags } from "./flags.ts";
import { releaseInheritedDescriptors } from "./inherited-descriptors.ts";
import { watchLeash } from "./leash.ts";
import { loadPublicStart } from "./public-start.ts";
import { claimStateDir } from "./run-lock.ts";
import { deleteCredentials, listKeyNames, readStartSettings } from "./settings.ts";
import { findMissingWalls, readWallFacts } from "./walls.ts";
import { formatWelcome } from "./welcome.ts";

const flags = readStartFlags(process.argv.slice(2));
if (typeof flags === "string") exitWith(flags);
if (flags.isHelp) {
  console.log(`After \`npm start --\`:\n${formatFlags()}`);
  process.exit(0);
}
const file = await readEnvFile(process.env);
if (typeof file === "string") exitWith(file);
for (const name of file.unknown) console.log(`The settings file has ${name}, which is not a setting.`);
const settings = readStartSettings(file.env);
if (typeof settings === "string") exitWith(settings);
const env = { ...file.env };
deleteCredentials(process.env);
// npm runs scripts in the folder of their package, and has the caller's folder in this variable.
const from = process.env.INIT_CWD ?? process.cwd();
const own =
  flags.repository === null ? null : await readOwnRepository(flags.repository, { ...settings, ...flags, from });
if (typeof own === "string") exitWith(own);
const engine = flags.usesContainers ? await findEngine(settings.engine) : null;
const forTeam =
  flags.publicUrl === null
    ? null
    : await loadPublicStart({ ...flags, publicUrl: flags.publicUrl }, settings, env, engine);
if (typeof forTeam === "string") exitWith(forTeam);
if (typeof engine === "string") exitWith(engine);
const credentials = [...listKeyNames(settings.real), ...(own?.type === "hosted" ? ["GITHUB_TOKEN"] : [])];
if (forTeam === null && credentials.length > 0 && engine === null && !flags.withoutWalls) {
  const missing = findMissingWalls(readWallFacts(credentials, await findIsolation()));
  if (missing !== null) exitWith(missing);
}
if (forTeam && flags.installs) {
  const installed = forTeam.install();
  if (!installed.ok) exitWith(installed.says);
  console.log(installed.says);
  process.exit(0);
}
const unreadable = await checkStateFolder(settings.stateDir, forTeam !== null);
if (unreadable !== null) exitWith(unreadable);
const claim = await claimStateDir(settings.stateDir, settings.port);
if (!claim.ok) {
  if (claim.address !== null && flags.opensBrowser) openInBrowser(claim.address);
  exitWith(claim.reason);
}

releaseInheritedDescriptors();
// Before the world is ready, there is nothing to save, and its processes end with this one.
let end: () => void = () => process.exit(1);
process.on("SIGHUP", () => end());
watchLeash(process.env, () => end());
// The reader of the output may be gone first. The sandboxes are saved even then.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
const output = { report: print, ...(flags.printsLog && { reportLog: print }) };
/** Imported after the checks, because it loads slowly. */
const startPractice = async () => {
  const { startWorld } = await import("../practice/local-service.ts");
  // With a real model or the user's own repository, the demo project is not the goal, so it costs
  // nothing.
  const deploysDemo = settings.deploysDemo && own === null && Object.keys(settings.real).length === 0;
  const hasMarketplaces = own?.type !== "hosted";
  const world = await startWorld({
    ...settings,
    own,
    engine,
    deploysDemo,
    hasMarketplaces,
    keepsDisks: true,
    ...output,
  });
  return { ...world, welcome: formatWelcome(world, settings.stateDir) };
};
// If this start is killed before it is complete, the next one ends what it left running.
const notingPauseMs = 100;
let isStarting = true;
const noting = noteWhileStarting(claim.noteChildren);
const starting = forTeam ? forTeam.start(engine, output) : startPractice();
const { close, welcome, openUrl } = await starting.catch((error: unknown) => {
  if (error instanceof ImportFailed || error instanceof EarlierState) exitWith(error.message);
  throw error;
});
isStarting = false;
await noting;
await claim.noteChildren();

const leftWork = `Their work stays in ${engine === null ? "the state folder" : "their containers"}, where the next start finds it.`;
let isEnding = false;
end = async () => {
  if (isEnding) return;
  isEnding = true;
  try {
    const unsaved = await close();
    await claim.release();
    if (unsaved.length > 0)
      console.error(`The sandboxes could not be saved (${unsaved.length} failed or took too long). ${leftWork}`);
    process.exit(0);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.error(`The sandboxes could not be saved (${why}). ${leftWork}`);
    process.exit(1);
  }
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // The runtime's listeners would end this process immediately, before the sandboxes are saved.
  process.removeAllListeners(signal);
  process.on(signal, () => end());
}

console.log(welcome);
const unopened = flags.opensBrowser ? openInBrowser(openUrl) : null;
if (unopened !== null) console.log(unopened);

function print(line: string): void {
  console.log(line);
}

async function noteWhileStarting(noteChildren: () => Promise<void>): Promise<void> {
  while (isStarting) {
    await noteChildren();
    await new Promise((resolve) => setTimeout(resolve, notingPauseMs));
  }
}

/** Exits with a reason before anything is started. */
function exitWith(reason: string): never {
  console.error(reason);
  process.exit(1);
}
