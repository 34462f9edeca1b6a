// `npm start`: the one-machine world, from nothing to ready.
import { resolve } from "node:path";
import { claimStateDir } from "./run-lock.ts";
import { startWorld } from "./world.ts";

const port = Number(process.env.PORT ?? 8787);
const stateDir = resolve(process.env.STATE_DIR ?? ".switchyard");

const claim = await claimStateDir(stateDir, port);
if (!claim.ok) {
  console.error(claim.reason);
  process.exit(1);
}

const rateLimits = (["on", "off"] as const).find((known) => known === process.env.RATE_LIMITS) ?? "visitors";
const world = await startWorld({ port, stateDir, rateLimits });
await claim.noteChildren();

let isEnding = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // The runtime would end this process at once, before the sandboxes are.
  process.removeAllListeners(signal);
  process.on(signal, async () => {
    if (isEnding) return;
    isEnding = true;
    try {
      await world.close();
      await claim.release();
      process.exit(0);
    } catch (error) {
      // What could not be saved stays on disk, where the next start finds it.
      console.error(`Switchyard ended before its sandboxes were saved: ${error}`);
      process.exit(1);
    }
  });
}

const { owner } = world.users;
console.log(`
Switchyard is ready at ${world.baseUrl}

An API key (the owner's; ${stateDir}/dev.json has all four): ${owner.apiKey}

Try:

  curl -s -X POST ${world.baseUrl}/api/projects/${world.projectId}/chat-sessions \\
    -H "Authorization: Bearer ${owner.apiKey}" -H "Content-Type: application/json" \\
    -d '{"content":"What is in this repository?"}'

What happens on the code host, and its buttons: ${world.forgePagesUrl}

The models are practice models: see "The practice model" in the README. Ctrl-C ends everything.
${world.isolationNotice}
`);
