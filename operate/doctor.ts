// `npm run doctor`: checks the settings, the account and a running deployment. Changes nothing.
import { readAccount } from "./account.ts";
import { checkAccount, checkGiven, checkSettings } from "./checks.ts";
import { openAccount, report } from "./deployment.ts";
import { endWith, readOptions } from "./end-with.ts";
import { checkService } from "./service-checks.ts";
import { Stop } from "./stop.ts";
import { openTools } from "./tools.ts";

const root = new URL("..", import.meta.url).pathname;
await endWith(async () => {
  readOptions("npm run doctor", {});
  const say = console.log;
  const { settings, tools, platform, account, given } = await openAccount({ root, env: process.env, say, openTools });
  const facts = await readAccount(platform, account, settings);
  const isRunning = facts.secrets !== null;
  const isFit = report(
    [
      ...checkSettings(settings),
      ...checkGiven(given, facts.database),
      ...checkAccount(settings, facts, Object.keys(given)),
      ...(isRunning ? await checkService(settings, facts, given) : []),
    ],
    say,
  );
  const parked = facts.database?.parked ?? 0;
  if (parked > 0) say(`  ${parked} parked: work that keeps failing. \`npm run operator -- parked\` lists it.`);
  if (!isRunning) say(`  The Worker ${settings.workerName} is not deployed yet.`);
  if (!(await tools.isDockerReachable())) say("  missing: Docker. A deployment with a changed sandbox image needs it.");
  if (!isFit) throw new Stop("Mend what is marked WRONG.");
});
