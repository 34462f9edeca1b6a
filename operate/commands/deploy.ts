// `npm run deploy`: deploys the service to Cloudflare, to an empty account or over a running
// version. Its usage lists the other options.
import { bundleConsole } from "../../console/bundle.ts";
import { bundleProgram } from "../../packages/cli/bundle.ts";
import { createSite } from "../../site/bundle.ts";
import { deploy } from "../cloudflare/deployment.ts";
import { prepareImage } from "../cloudflare/image.ts";
import { createTools } from "../cloudflare/tools.ts";
import { trySandbox } from "../cloudflare/try-sandbox.ts";
import { readOptions, runAndExit, Stop } from "../lib/exit.ts";

/** The locations of D1. */
const locations = ["wnam", "enam", "weur", "eeur", "apac", "oc"];
const usage = `npm run deploy [-- OPTIONS]
  --location ${locations.join("|")}   where a new database is created
  --new-keys        generates new keys for signing and sealing, before the current ones
  --drop-old-keys   deletes the previous keys, once nothing is sealed with them`;

/** A new domain or version takes a while to be available everywhere. */
const patienceMs = 120_000;
const pauseMs = 2_000;
const answerMs = 10_000;

/** Returns true once an address responds with success, false after two minutes without one. */
async function answersSoon(url: string): Promise<boolean> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerMs) }).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return true;
    if (Date.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

const root = new URL("../..", import.meta.url).pathname;
await runAndExit(async () => {
  const options = readOptions(usage, {
    ...{ location: { type: "string" } },
    ...{ "new-keys": { type: "boolean" }, "drop-old-keys": { type: "boolean" } },
  });
  const { location = null, "new-keys": hasNew, "drop-old-keys": dropsOld } = options;
  if (location !== null && !locations.includes(location))
    throw new Stop(`There is no location ${location}.\n\n${usage}`);
  if (hasNew && dropsOld) throw new Stop(`New keys come first, and the old ones go a day later.\n\n${usage}`);
  if ((hasNew || dropsOld) && process.env.CI)
    throw new Stop(
      "This checkout is temporary (CI is set), so the file with the new keys would be lost. docs/security.md says how to change keys by variables.",
    );
  await deploy({
    ...{
      root,
      env: process.env,
      say: console.log,
      openTools: createTools,
      prepareImage,
      bundleProgram,
      bundleConsole,
      createSite,
      answers: answersSoon,
      trySandbox,
    },
    ...{ location, keyChange: hasNew ? "new" : dropsOld ? "drop-old" : null },
  });
});
