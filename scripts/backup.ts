// `npm run backup -- FOLDER`: copies the state folder of a service on one machine, also while the
// service runs.
import { resolve } from "node:path";
import { readEnvFile } from "./env-file.ts";
import { readStartSettings } from "./settings.ts";
import { checkBackup, createBackup } from "./state-backup.ts";

const [folder, ...more] = process.argv.slice(2);
if (folder === undefined || folder.startsWith("-") || more.length > 0)
  exitWith("Name the folder of the backup: npm run backup -- FOLDER");
const file = await readEnvFile(process.env);
if (typeof file === "string") exitWith(file);
const settings = readStartSettings(file.env);
if (typeof settings === "string") exitWith(settings);
const target = resolve(process.env.INIT_CWD ?? process.cwd(), folder);
const refusal = await checkBackup(settings.stateDir, target);
if (refusal !== null) exitWith(refusal);
const startedAt = Date.now();
const { databases, files } = await createBackup(settings.stateDir, target).catch((error: unknown) => {
  // Such as a folder that the user may not write, or a full disk.
  if (!(error instanceof Error && "syscall" in error)) throw error;
  exitWith(`The backup is not complete, so delete it: ${error.message}`);
});
const seconds = Math.round((Date.now() - startedAt) / 1_000);
console.log(
  `${databases} databases and ${files} files of ${settings.stateDir} are in ${target}, after ${seconds} s.\nIt has the keys of the service, so keep it as safe as them. Restore it:  cp -a ${target} NEW_STATE_DIR`,
);

function exitWith(message: string): never {
  console.error(message);
  process.exit(1);
}
