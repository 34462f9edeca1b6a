// `npm run doctor`: checks the settings, the account and a running deployment. Changes nothing, and
// lists everything that is missing in one run.
import { readAccount } from "../cloudflare/account.ts";
import {
  type Check,
  checkAccount,
  checkCodeUpdates,
  checkGiven,
  checkMigrations,
  checkSettings,
} from "../cloudflare/checks.ts";
import { connectAccount } from "../cloudflare/deployment.ts";
import { readSecrets } from "../cloudflare/secrets.ts";
import { checkService } from "../cloudflare/service-checks.ts";
import { readCodeHost, readFirstMigration, readSettings } from "../cloudflare/settings.ts";
import { createTools } from "../cloudflare/tools.ts";
import { readVersion } from "../cloudflare/version.ts";
import { checkGithubApp } from "../github-app/checks.ts";
import { formatCheckTable } from "../lib/check-table.ts";
import { readOptions, runAndExit, Stop } from "../lib/exit.ts";
import { listCallChanges } from "../object-calls/compare.ts";

const root = new URL("../..", import.meta.url).pathname;
const say = console.log;
await runAndExit(async () => {
  readOptions("npm run doctor", {});
  const settings = readSettings(root);
  say(`This checkout has Switchyard ${readVersion(root, process.env)}.`);
  const account = await checkOpenedAccount();
  const isDockerReachable = await createTools(root, process.env, say).isDockerReachable();
  const checks = [
    ...checkSettings(settings),
    checkCodeUpdates(settings, () => listCallChanges(root)),
    ...account,
    checkPresence(
      "Docker is reachable",
      isDockerReachable,
      "A deployment with a changed sandbox image needs it. Start it, or set DOCKER_HOST.",
    ),
  ];
  say("");
  for (const line of formatCheckTable(checks)) say(line);
  if (checks.some(({ state }) => state === "wrong"))
    throw new Stop("Fix what is marked WRONG: a deployment stops there.");
});

function checkPresence(what: string, isThere: boolean, help: string): Check {
  return isThere ? { what, state: "ok", help: "" } : { what, state: "missing", help };
}

/** Checks the account and what runs there. An account that cannot be opened is a finding, too. */
async function checkOpenedAccount(): Promise<Check[]> {
  try {
    const { settings, platform, account, given } = await connectAccount({
      root,
      env: process.env,
      say,
      openTools: createTools,
    });
    const facts = await readAccount(platform, account, settings);
    const isRunning = facts.secrets !== null;
    const parked = facts.database?.parked ?? 0;
    if (facts.version) say(`Switchyard ${facts.version} is deployed in ${account.name}.`);
    return [
      ...checkGiven(given, facts.database),
      checkMigrations(facts.database, readFirstMigration(root)),
      ...checkAccount(settings, facts, Object.keys(given)),
      checkPresence(`the Worker ${settings.workerName} is deployed`, isRunning, "`npm run deploy` deploys it."),
      ...(isRunning ? await checkService(settings, facts, given) : []),
      ...(await checkGithubApp(readCodeHost(root).apiUrl, given, facts.secrets ?? [])),
      checkPresence(
        "no work keeps failing",
        parked === 0,
        `${parked} parked. \`npm run operator -- parked\` lists it, with the reasons.`,
      ),
    ];
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return [{ what: "the account", state: "wrong", help: error.message }, ...checkGivenOnly()];
  }
}

/** The form of given secrets. A file that cannot be read is named already. */
function checkGivenOnly(): Check[] {
  try {
    return checkGiven(readSecrets(process.env), null).slice(0, 1);
  } catch {
    return [];
  }
}
