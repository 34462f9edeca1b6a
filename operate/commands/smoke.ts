// `npm run smoke`: tests a running service the way its users use it. `KEY` and `PROJECT` select the
// project to test; `SERVICE_URL` overrides the service of wrangler.toml.
import { readOptions, runAndExit, Stop } from "../lib/exit.ts";
import { getServiceAddress } from "../lib/http.ts";
import { runSmokeTest } from "../lib/smoke-test.ts";

const root = new URL("../..", import.meta.url).pathname;
await runAndExit(async () => {
  readOptions("KEY=… PROJECT=… npm run smoke", {});
  const { KEY: key, PROJECT: projectId, SERVICE_URL } = process.env;
  if (!key || !projectId)
    throw new Stop("Set KEY to an API key, and PROJECT to the id of a project that has services.");
  const baseUrl = getServiceAddress(root, SERVICE_URL);
  await runSmokeTest({ baseUrl, key, projectId, say: console.log });
});
