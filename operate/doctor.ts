// `npm run doctor`: checks the settings, the account and a running deployment. Changes nothing, and
// lists everything that is missing in one run.
import { readAccount } from "./account.ts";
import { listCallChanges } from "./calls.ts";
import { type Check, checkAccount, checkCodeUpdates, checkGiven, checkMigrations, checkSettings } from "./checks.ts";
import { connectAccount, reportChecks } from "./deployment.ts";
import { readOptions, runAndExit } from "./end-with.ts";
import { checkService } from "./service-checks.ts";
import { readFirstMigration, readSettings } from "./settings.ts";
import { Stop } from "./stop.ts";
import { createTools } from "./tools.ts";

const root = new URL("..", import.meta.url).pathname;
const say = console.log;
await runAndExit(async () => {
  readOptions("npm run doctor", {});
  const settings = readSettings(root);
  const account = await checkOpenedAccount();
  const isFit = reportChecks(
    [...checkSettings(settings), checkCodeUpdates(settings, () => listCallChanges(root)), ...account.checks],
    say,
  );
  if (account.parked > 0)
    say(`  ${account.parked} parked: work that keeps failing. \`npm run operator -- parked\` lists it.`);
  if (account.isRunning === false) say(`  The Worker ${settings.workerName} is not deployed yet.`);
  if (!(await createTools(root, process.env, say).isDockerReachable()))
    say("  missing: Docker. A deployment with a changed sandbox image needs it.");
  if (!isFit) throw new Stop("Mend what is marked WRONG.");
});

/** Checks the account and what runs there. An account that cannot be opened is a finding, too. */
async function checkOpenedAccount(): Promise<{ checks: Check[]; isRunning: boolean | null; parked: number }> {
  try {
    const { settings, platform, account, given } = await connectAccount({
      root,
      env: process.env,
      say,
      openTools: createTools,
    });
    const facts = await readAccount(platform, account, settings);
    const isRunning = facts.secrets !== null;
    const checks = [
      ...checkGiven(given, facts.database),
      checkMigrations(facts.database, readFirstMigration(root)),
      ...checkAccount(settings, facts, Object.keys(given)),
      ...(isRunning ? await checkService(settings, facts, given) : []),
    ];
    return { checks, isRunning, parked: facts.database?.parked ?? 0 };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { checks: [{ what: "the account", state: "wrong", help: error.message }], isRunning: null, parked: 0 };
  }
}
