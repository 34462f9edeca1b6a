// `npm run github-app`: creates the service's GitHub App with the permissions and events it needs.
// With `-- --organization NAME`, the organization owns it. With `-- --host HOST`, it is for a
// service on one machine instead of the one in wrangler.toml.

import { readCodeHost, readSettings } from "../cloudflare/settings.ts";
import { createApp } from "../github-app/create.ts";
import { saveCreatedApp } from "../github-app/undeployed.ts";
import { readOptions, runAndExit, Stop } from "../lib/exit.ts";

const usage = "npm run github-app [-- --organization NAME] [--name NAME] [--host HOST]";

const root = new URL("../..", import.meta.url).pathname;
await runAndExit(async () => {
  const values = readOptions(usage, {
    organization: { type: "string" },
    name: { type: "string", default: "Switchyard" },
    host: { type: "string" },
  });
  if (values.host !== undefined && !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(values.host))
    throw new Stop(`--host has to be a host without https:// and without a port, and is ${values.host}.`);
  const publicHost = values.host ?? readSettings(root).publicHost;
  const wanted = { codeHost: readCodeHost(root), publicHost, name: values.name, say: console.log };
  saveCreatedApp(root, await createApp({ ...wanted, organization: values.organization ?? null }));
  console.log(
    values.host === undefined
      ? "Its secrets are in .github-app.json. `npm run deploy` puts them into the Worker and deletes the file."
      : `Its secrets are in .github-app.json. \`npm start -- --public https://${publicHost}\` copies them into its state folder.`,
  );
});
