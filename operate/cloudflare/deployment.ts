// A deployment: it checks first, then performs the remaining steps one by one. It can be
// interrupted at any point and run again.
import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { copiedEntry, withWorkerSource } from "../../scripts/worker-source.ts";
import { deleteCreatedApp, loadCreatedApp } from "../github-app/undeployed.ts";
import { Stop } from "../lib/exit.ts";
import { withDeploymentLock } from "../lib/lock.ts";
import { listCallChanges } from "../object-calls/compare.ts";
import { type AccountFacts, findAccount, findSecretNames, readAccount } from "./account.ts";
import { createPlatform, type Platform, usualPausesMs } from "./api.ts";
import { type Check, checkAccount, checkCodeUpdates, checkGiven, checkMigrations, checkSettings } from "./checks.ts";
import { formatStep, planDeployment, type Step } from "./deployment-plan.ts";
import {
  isImageListed,
  type prepareImage,
  readBaseImage,
  toImageReference,
  toLocalImage,
  toRegistryImage,
} from "./image.ts";
import { bucketHeaders } from "./jurisdiction.ts";
import {
  commitWaitingKeys,
  getKeys,
  getRotatedKeys,
  type KeyChange,
  keyFile,
  loadKeys,
  loadWaitingKeys,
  saveKeys,
  saveWaitingKeys,
  toIntroducedKeys,
} from "./keys.ts";
import { findReplacement, recordDeployment } from "./newest-deployment.ts";
import { deleteOldImages, readImageList } from "./old-images.ts";
import { type Clients, saveClients, saveDocument } from "./saved-clients.ts";
import { createSecret, drawnSecrets, readSecrets } from "./secrets.ts";
import {
  environment,
  readFirstMigration,
  readSettings,
  type Settings,
  writeDeployedSettings,
  writeIds,
} from "./settings.ts";
import type { createTools, Tools } from "./tools.ts";
import { readTriedImage, saveTriedImage } from "./tried-image.ts";
import type { trySandbox } from "./try-sandbox.ts";
import { formatVersions, readVersion, versionOptions } from "./version.ts";

export interface Deployment extends Clients {
  /** The folder that contains wrangler.toml. */
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  say(line: string): void;
  /** True if the deployed service responds at this address. */
  answers(url: string): Promise<boolean>;
  /** The location of the database, such as `weur`; null lets the platform choose. */
  location: string | null;
  /** How the signing and sealing keys are rotated; null leaves them unchanged. */
  keyChange: KeyChange | null;
  /** Starts and stops a sandbox on the deployed service; throws `Stop` if none starts. */
  trySandbox: typeof trySandbox;
  /** wrangler and Docker. */
  openTools: typeof createTools;
  /** Builds the contents of the sandbox image and returns its tag. */
  prepareImage: typeof prepareImage;
  /** How long a deployed version takes until it runs everywhere. Has a default. */
  spreadMs?: number;
  /** Milliseconds before each retry of a failed request to the platform. Has a default. */
  pausesMs?: readonly number[];
}

const deploymentKeyBytes = 32;
const usualSpreadMs = 60_000;
const publicApi = "https://api.cloudflare.com/client/v4";

/**
 * Opens what a check or a deployment works with. Throws `Stop` without a token, or if the token
 * does not reach exactly one account.
 */
export async function connectAccount({
  root,
  env,
  say,
  openTools,
  pausesMs = usualPausesMs,
}: Pick<Deployment, "root" | "env" | "say" | "openTools" | "pausesMs">) {
  const settings = readSettings(root);
  const given = { ...loadCreatedApp(root), ...readSecrets(env) };
  const token = env.CLOUDFLARE_API_TOKEN || (await loggedInToken(openTools(root, env, say)));
  if (!token)
    throw new Stop(
      "Set CLOUDFLARE_API_TOKEN, or run `npx wrangler login`. docs/operate.md lists the token's permissions.",
    );
  const platform = createPlatform(env.CLOUDFLARE_API_BASE_URL || publicApi, token, { say, pausesMs });
  const account = await findAccount(platform, env.CLOUDFLARE_ACCOUNT_ID || undefined);
  const tools = openTools(root, { ...env, CLOUDFLARE_ACCOUNT_ID: account.id }, say);
  return { settings, tools, platform, account, given };
}

/** The token of `wrangler login`; null without one. */
async function loggedInToken(tools: Tools): Promise<string | null> {
  const printed = await tools.readWrangler("auth", "token", "--json");
  return /"token":\s*"([^"]+)"/.exec(printed ?? "")?.[1] ?? null;
}

/** Prints the result of each check. Returns false if one of them stops a deployment. */
function reportChecks(checks: readonly Check[], say: (line: string) => void): boolean {
  const signs = { ok: "ok", missing: "missing", wrong: "WRONG" };
  for (const { what, state, help } of checks) say(`  ${signs[state]}: ${what}${help && `. ${help}`}`);
  return checks.every(({ state }) => state !== "wrong");
}

/** Deploys the service. Throws `Stop` with what to do. */
export function deploy(deployment: Deployment): Promise<void> {
  return withDeploymentLock(deployment.root, (folder) => deployAlone(deployment, folder));
}

async function deployAlone(deployment: Deployment, folder: string): Promise<void> {
  const { root, say, env, keyChange } = deployment;
  const opened = await connectAccount(deployment);
  const { settings, tools, platform, account } = opened;
  if (deployment.location !== null && settings.jurisdiction !== "")
    throw new Stop(
      `The platform chooses where in ${settings.jurisdiction} the database is: leave --location out, or JURISDICTION in wrangler.toml. Nothing was changed.`,
    );
  const kept = loadKeys(root);
  say("Checking settings and account …");
  const facts = await readAccount(platform, account, settings);
  const { SIGNING_KEY_PREVIOUS, ...others } = opened.given;
  const keys = { ...kept, ...getKeys(opened.given) };
  const given = keyChange
    ? { ...others, ...getRotatedKeys(keyChange, keys, { waiting: loadWaitingKeys(root), held: facts.secrets ?? [] }) }
    : opened.given;
  const names = Object.keys(given);
  // These may have been drawn by an earlier run that ended before the Worker received them.
  const lacking = drawnSecrets.filter((name) => !names.includes(name) && !facts.secrets?.includes(name));
  const drawnBefore = Object.fromEntries(lacking.flatMap((name) => (kept?.[name] ? [[name, kept[name]]] : [])));
  const comes = { ...given, ...drawnBefore };
  const isFit = reportChecks(
    [
      ...checkSettings(settings),
      checkCodeUpdates(settings, () => listCallChanges(root)),
      ...checkGiven(comes, facts.database),
      checkMigrations(facts.database, readFirstMigration(root)),
      ...checkAccount(settings, facts, Object.keys(comes)),
    ],
    say,
  );
  if (!isFit) throw new Stop("Nothing was changed. Fix what is marked WRONG, and run it again.");
  const version = readVersion(root, env);
  say(formatVersions(facts.version, version));
  say("Building the sandbox program …");
  const tag = await deployment.prepareImage(root);
  const drops = keyChange === "drop-old" ? ["SIGNING_KEY_PREVIOUS"] : [];
  const image = toRegistryImage(account.id, settings.workerName, tag);
  const place = { bucket: settings.bucketName, jurisdiction: settings.jurisdiction };
  const triedImage = facts.hasBucket ? await readTriedImage(tools, place) : null;
  // An image that is pushed later is of another deployment, and may not be in use yet.
  const imagesBefore = facts.application === null ? null : await readImageList(tools);
  const isPushed = isImageListed(imagesBefore, settings.workerName, tag);
  const steps = planDeployment(settings, facts, {
    ...{ secrets: names, drops, hasNewKeys: keyChange === "new", image, triedImage, isPushed },
  });
  if (steps.some(({ type }) => type === "push-image") && !(await tools.isDockerReachable()))
    throw new Stop(
      "The sandbox image is not in the registry, and Docker is not reachable. Start it, or set DOCKER_HOST. Nothing was changed.",
    );
  const deploymentKey = randomBytes(deploymentKeyBytes).toString("base64url");
  const workerAt = steps.findIndex(({ type }) => type === "deploy-worker");
  const performing: Performing = {
    ...{ ...deployment, settings, tools, platform, facts, given, tag },
    ...{ version, deploymentKey, imagesBefore, folder },
  };
  // Ctrl-C between two steps leaves the completed ones in place; the next run detects them.
  for (const [index, step] of steps.entries()) {
    say(`${index + 1}/${steps.length} ${formatStep(step)}`);
    try {
      if (index >= workerAt) await stopIfReplaced(performing);
      await perform(step, performing);
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      const done = `Step ${index + 1} of ${steps.length} failed. Completed steps stay done.`;
      throw new Stop(`${error.message}\n${done} Fix the cause and run it again.`);
    }
  }
  await stopIfReplaced(performing);
  for (const line of byHand(settings, version)) say(line);
  if (keyChange !== null || (lacking.length > 0 && loadKeys(root) !== null)) say(env.CI ? keepThemNow : keepThem);
}

interface Performing extends Deployment {
  settings: Settings;
  tools: Tools;
  platform: Platform;
  facts: AccountFacts;
  given: Record<string, string>;
  tag: string;
  /** The version of this checkout. */
  version: string;
  /** Lets this deployment, until the next one, try a sandbox. */
  deploymentKey: string;
  /** wrangler's list of images when this deployment began; null if it could not be read. */
  imagesBefore: string | null;
  /** The temporary folder of this deployment. */
  folder: string;
}

async function stopIfReplaced(performing: Performing): Promise<void> {
  const replacement = await findReplacement(performing);
  if (replacement !== null) throw new Stop(replacement);
}

async function perform(step: Step, performing: Performing) {
  const { root, platform, tools, facts, settings, tag, ...more } = performing;
  const of = `/accounts/${facts.account.id}`;
  switch (step.type) {
    case "create-database": {
      const hint = more.location === null ? {} : { primary_location_hint: more.location };
      const place = step.jurisdiction === "" ? hint : { jurisdiction: step.jurisdiction };
      const { uuid } = await platform.post<{ uuid: string }>(`${of}/d1/database`, { name: step.name, ...place });
      facts.database = { id: uuid, migrations: [], hasPeople: false, sealedWith: [], parked: 0 };
      return;
    }
    case "create-bucket":
      await platform.post(`${of}/r2/buckets`, { name: step.name }, bucketHeaders(step.jurisdiction));
      return;
    case "write-ids":
      writeIds(root, { databaseId: facts.database?.id ?? "", accountId: facts.account.id });
      return;
    case "create-preview-record":
      // Nothing needs to listen at the address: the Worker's route takes every request first.
      await platform.post(`/zones/${step.zoneId}/dns_records`, {
        ...{ type: "AAAA", name: step.name, content: "100::", proxied: true },
      });
      return;
    case "migrate":
      more.say(
        `    ${migrated(await tools.quietWrangler("d1", "migrations", "apply", "DB", "--remote", "--env", environment))}`,
      );
      return;
    case "push-image":
      more.say(await prepareBaseImage(root, tools));
      await tools.wrangler(
        ...["containers", "build", "sandbox-program/dist"],
        ...["--tag", toLocalImage(settings.workerName, tag), "--push"],
      );
      return;
    case "revert-rollout":
      await platform.post(`${of}/containers/applications/${step.applicationId}/rollouts/${step.rolloutId}`, {
        action: "revert",
      });
      return;
    case "save-document":
      await saveDocument({ ...step, tools, folder: more.folder });
      return;
    case "deploy-worker":
      await deployWorker(step, performing);
      deleteCreatedApp(root);
      await recordDeployment(performing);
      return;
    case "wait-for-keys":
      await sleep(more.spreadMs ?? usualSpreadMs);
      return;
    case "delete-secret":
      await tools.wrangler("secret", "delete", step.name, "--env", environment);
      await recordDeployment(performing);
      return;
    case "smoke-test":
      if (!(await more.answers(`https://${settings.publicHost}/api/openapi.json`)))
        throw new Stop(
          `The Worker is deployed, but does not answer at https://${settings.publicHost}. See docs/operate.md.`,
        );
      return;
    case "save-clients":
      await saveClients(more, { ...step, tools, folder: more.folder });
      return;
    case "try-sandbox":
      await more
        .trySandbox({ address: `https://${settings.publicHost}`, key: more.deploymentKey, tag, say: more.say })
        .catch(async (error: unknown) => {
          const replacement = await findReplacement(performing).catch(() => null);
          throw replacement === null ? error : new Stop(replacement);
        });
      await saveTriedImage(step.image, { ...step, tools, folder: more.folder });
      return;
    case "prune-images":
      await deleteOldImages(performing, step.keeps);
  }
}

/**
 * The base of the image, in words. One that is not pinned is fetched: Docker would take it from its
 * cache, without the security updates of its newest image.
 */
async function prepareBaseImage(root: string, tools: Tools): Promise<string> {
  const base = await readBaseImage(root);
  if (base.digest !== null) return `    The base image is ${toImageReference(base)}.`;
  const digest = await tools.pullImage(base.name);
  const pins = "`npm run base-image` pins it, so that a later build has the same base.";
  return digest === null
    ? `    The base image ${base.name} cannot be fetched. Docker takes the one that it has.`
    : `    The base image is ${toImageReference({ ...base, digest })}. It is not pinned: ${pins}`;
}

/** Wrangler's output, which lists all migrations again after each one that it has applied. */
function migrated(said: string): string {
  const { size } = new Set(said.match(/\b\d{4}_[\w-]+\.sql\b/g));
  return size === 0 ? "None is left." : `Applied: ${size}.`;
}

/**
 * Deploys the Worker with its secrets in one step, so that no version runs without a secret that it
 * needs.
 */
async function deployWorker(
  { image, draws, introduces, keepsRollout }: Extract<Step, { type: "deploy-worker" }>,
  performing: Performing,
): Promise<void> {
  const { root, tools, platform, facts, given, deploymentKey, version, folder, keyChange } = performing;
  const { workerName } = performing.settings;
  // Asked again, because the image took minutes: keys that another deployment has drawn meanwhile
  // must not be replaced.
  const held = draws.length === 0 ? [] : ((await findSecretNames(platform, facts.account.id, workerName)) ?? []);
  const kept = loadKeys(root);
  const drawn = Object.fromEntries(
    draws.filter((name) => !held.includes(name)).map((name) => [name, kept?.[name] ?? createSecret(name)]),
  );
  const secrets = { ...given, ...(introduces ? toIntroducedKeys(getKeys(given)) : {}), ...drawn };
  // Saved before they are used: nobody can read the Worker's secrets.
  if (Object.keys(drawn).length > 0) saveKeys(root, { ...kept, ...drawn });
  if (keyChange === "new") saveWaitingKeys(root, getKeys(given));
  const settings = writeDeployedSettings(root, image);
  try {
    const file = join(folder, "secrets.json");
    await writeFile(file, JSON.stringify({ ...secrets, DEPLOYMENT_KEY: deploymentKey }), { mode: 0o600 });
    await withWorkerSource(root, () =>
      tools.wrangler(
        ...["deploy", copiedEntry, "--config", settings, "--env", environment, "--minify"],
        ...["--secrets-file", file],
        ...versionOptions(version),
        // Whatever the settings say: no object may meet tokens or texts of keys that it does not
        // have.
        ...(keyChange === null ? [] : ["--durable-objects-code-update-mode", "immediate"]),
        // Otherwise wrangler compares the application with the settings, and applies what differs.
        ...(keepsRollout ? ["--containers-rollout", "none"] : []),
      ),
    );
    if (introduces) return;
    if (keyChange === "new") commitWaitingKeys(root);
    else if (keyChange === "drop-old") saveKeys(root, getKeys(given));
    else if (kept !== null) saveKeys(root, { ...kept, ...getKeys(secrets) });
  } finally {
    await rm(join(folder, "secrets.json"), { force: true });
    await rm(join(root, settings), { force: true });
  }
}

/** The steps that no command can do. */
function byHand({ publicHost, previewZone }: Settings, version: string): string[] {
  return [
    "",
    `Deployed: https://${publicHost} runs Switchyard ${version}.`,
    "What is left to do by hand, once:",
    `  - Let no challenge protect ${publicHost}: turn Bot Fight Mode off in its zone, for programs call the API.`,
    `  - Ask for ${previewZone} to be put on the Public Suffix List, so that one preview sets no cookies of another.`,
    "  - The plan of the zone limits a request's body: 100 MB on Free and Pro.",
    "  - Keep a copy of the secrets you gave: nobody can read those of the Worker.",
  ];
}

const keepThem = `
${keyFile} is new. Put it into your password manager now: nothing else can read the keys, and to lose SEALING_KEYS is to lose
every credential. Where you give keys as variables, give these from now on.`;

const keepThemNow = `
${keyFile} is new, and CI is set. Where this checkout is thrown away, keep the file as a secret of your CI first: nothing else can
read the keys, and without them they cannot be changed. To generate them yourself, see docs/security.md.`;
