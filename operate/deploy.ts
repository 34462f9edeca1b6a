// `npm run deploy`: brings the service to Cloudflare, from an empty account or onto a running one. `-- --location weur` places a new database.
import { parseArgs } from "node:util";
import { deploy } from "./deployment.ts";
import { endWith } from "./end-with.ts";
import { prepareImage } from "./image.ts";
import { answersSoon } from "./reach.ts";
import { openTools } from "./tools.ts";

const { values } = parseArgs({ options: { location: { type: "string" } } });
const root = new URL("..", import.meta.url).pathname;
await endWith(() =>
  deploy({
    ...{ root, env: process.env, say: console.log, openTools, prepareImage, answers: answersSoon },
    location: values.location ?? null,
  }),
);
