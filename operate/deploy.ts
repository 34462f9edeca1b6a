// `npm run deploy`: brings the service to Cloudflare, from an empty account or onto a running one. `-- --location weur` places a new database.
import { deploy } from "./deployment.ts";
import { endWith, readOptions } from "./end-with.ts";
import { prepareImage } from "./image.ts";
import { answersSoon } from "./reach.ts";
import { Stop } from "./stop.ts";
import { openTools } from "./tools.ts";

/** The places of D1. */
const locations = ["wnam", "enam", "weur", "eeur", "apac", "oc"];
const usage = `npm run deploy [-- --location ${locations.join("|")}]   where a new database is made`;

const root = new URL("..", import.meta.url).pathname;
await endWith(async () => {
  const { location = null } = readOptions(usage, { location: { type: "string" } });
  if (location !== null && !locations.includes(location))
    throw new Stop(`There is no location ${location}.\n\n${usage}`);
  await deploy({
    ...{ root, env: process.env, say: console.log, openTools, prepareImage, answers: answersSoon },
    location,
  });
});
