// `npm start`: starts the one-machine world.
import { claimStateDir } from "./run-lock.ts";
import { readStartSettings } from "./start-settings.ts";
import { welcome } from "./welcome.ts";

const settings = readStartSettings(process.env);
if (typeof settings === "string") exitWith(settings);
const claim = await claimStateDir(settings.stateDir, settings.port);
if (!claim.ok) exitWith(claim.reason);

// Until the world is ready there is nothing to save, and its processes end with this one.
process.on("SIGHUP", () => process.exit(1));
// Imported after the checks, because it loads slowly.
const { startWorld } = await import("./world.ts");
const world = await startWorld(settings);
await claim.noteChildren();

let isEnding = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // Those of the runtime end this process at once, before the sandboxes are saved.
  process.removeAllListeners(signal);
  process.on(signal, async () => {
    if (isEnding) return;
    isEnding = true;
    try {
      await world.close();
      await claim.release();
      process.exit(0);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      console.error(
        `The sandboxes could not be saved (${why}). Their work stays in the state folder, where the next start finds it.`,
      );
      process.exit(1);
    }
  });
}

console.log(welcome(world, settings.stateDir));

/** Ends with a one-line reason before anything was started. */
function exitWith(reason: string): never {
  console.error(reason);
  process.exit(1);
}
