// `npm run github-app`: creates the service's GitHub App with the permissions and events it needs.
// With `-- --organization NAME`, the organization owns it.
import { readOptions, runAndExit } from "./end-with.ts";
import { saveCreatedApp } from "./made-app.ts";
import { createApp } from "./make-app.ts";
import { readCodeHost, readSettings } from "./settings.ts";

const usage = "npm run github-app [-- --organization NAME] [--name NAME]";

const root = new URL("..", import.meta.url).pathname;
await runAndExit(async () => {
  const values = readOptions(usage, {
    organization: { type: "string" },
    name: { type: "string", default: "Switchyard" },
  });
  const { publicHost } = readSettings(root);
  const wanted = { codeHost: readCodeHost(root), publicHost, name: values.name, say: console.log };
  saveCreatedApp(root, await createApp({ ...wanted, organization: values.organization ?? null }));
  console.log("Its secrets wait in .github-app.json. `npm run deploy` puts them into the Worker and deletes the file.");
});
