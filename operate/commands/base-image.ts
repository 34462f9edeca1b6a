// `npm run base-image`: pins the newest image of the tag on which the sandbox image is built, and
// dates its packages. The change is in sandbox-program/Dockerfile, for a commit.
import { readBaseImage, toImageReference, writeBaseImage } from "../cloudflare/image.ts";
import { createTools } from "../cloudflare/tools.ts";
import { readOptions, runAndExit, Stop } from "../lib/exit.ts";

const root = new URL("../..", import.meta.url).pathname;
await runAndExit(async () => {
  readOptions("npm run base-image", {});
  const before = await readBaseImage(root);
  const digest = await createTools(root, process.env, console.log).pullImage(before.name);
  if (digest === null)
    throw new Stop(`Docker cannot fetch ${before.name}. Start it, or set DOCKER_HOST. Nothing was changed.`);
  const day = new Date().toISOString().slice(0, "2026-11-27".length);
  await writeBaseImage(root, digest, day);
  const is = digest === before.digest ? "still is" : "now is";
  console.log(`The base ${is} ${toImageReference({ ...before, digest })}, with the packages of ${day}.`);
  console.log("Commit sandbox-program/Dockerfile, and deploy. The deployment builds a new image.");
});
