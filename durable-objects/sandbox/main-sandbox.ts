// The main sandbox of a project, as far as its project asks for it: bringing it up, updating it to
// its base branch, and detecting that it is lost.
import { log } from "../../src/lib/log.ts";
import { fetchFromService } from "../../src/preview/host/forward.ts";
import { getAllowedHostVariables } from "../../src/preview/rules/allowed-hosts.ts";
import { findProject } from "../../src/project/queries.ts";
import { listFrontends } from "../../src/project/rules/frontends.ts";
import { sealSettings } from "../../src/project/settings.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { callOnce } from "../../src/sandbox/program/client.ts";
import { recordChange } from "../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { Followed } from "../../src/sandbox-protocol/protocol.ts";
import type { SandboxContext } from "./context.ts";
import type { SandboxUp } from "./rpc.ts";
import { findCurrentSettings, getWantedCheckout, getWantedSettings } from "./settings.ts";

/** Brings the sandbox up and waits for it. A running sandbox is only probed. */
export async function wakeSandbox({ calls }: SandboxContext, owner: SandboxOwner): Promise<SandboxUp | Refusal> {
  return await calls.wakeAndRun(owner, async (sandbox) => {
    // A sandbox that has stopped unnoticed throws here, and is started once more.
    await calls.program().status();
    const { generation } = sandbox;
    return { generation, setupFailure: sandbox.state === "running" ? sandbox.setupFailure : null };
  });
}

/**
 * True if nothing of the sandbox is left to wake. A sandbox that runs, starts or is being paused is
 * not lost.
 */
export async function isLost({ env, calls }: SandboxContext): Promise<boolean> {
  const sandbox = calls.sandbox();
  switch (sandbox.state) {
    case "gone":
    case "absent":
      return true;
    case "paused":
      return (
        sandbox.failure?.isUnrestorable === true ||
        sandbox.archiveKey === null ||
        (await env.STORE.head(sandbox.archiveKey)) === null
      );
    case "creating":
    case "resuming":
    case "running":
    case "pausing":
      return false;
  }
}

/**
 * Updates a running sandbox's checkout to the newest commit of its base branch, and restarts its
 * services if the commit changed. A sleeping sandbox is updated when it next wakes.
 */
export async function followTargetBranch(
  context: SandboxContext,
  owner: SandboxOwner,
): Promise<Followed | "asleep" | Refusal> {
  const { env, calls, shell } = context;
  const { state, generation } = calls.sandbox();
  const settings = await findCurrentSettings(context, owner.projectId);
  if (state !== "running" || settings === null) return "asleep";
  const wanted = await getWantedCheckout(env, { key: calls.key, owner, generation }, settings);
  const followed = await calls.runUnlessGone(() => callOnce(() => calls.program().followTargetBranch(wanted)));
  if (followed === undefined) return "asleep";
  if (isRefusal(followed) || !followed.moved) return followed;
  const { services, env: variables } = settings;
  const restarted = await calls.callUnlessGone(() =>
    calls.program().services({ services, env: variables, restart: true }),
  );
  if (isRefusal(restarted)) log.warn("services.restart_failed", { sandboxKey: calls.key, error: restarted.message });
  shell.decide(recordChange);
  return followed;
}

/** The time limit for loading the pages of one endpoint. */
const pageWaitMs = 20_000;

/**
 * Restarts the services that the current settings change, for a Deploy. A sandbox that does not run
 * takes the settings when it wakes.
 */
export async function refreshSettings(context: SandboxContext, owner: SandboxOwner): Promise<Refusal | null> {
  const { env, store, calls } = context;
  if (calls.sandbox().state !== "running") return null;
  const project = await findProject(env.DB, owner.projectId);
  if (!project) return refuse("NOT_FOUND", "The project has been deleted.");
  const wanted = await getWantedSettings(env, { key: calls.key, owner }, project);
  const present = await findCurrentSettings(context, owner.projectId);
  if (JSON.stringify(present) === JSON.stringify(wanted)) return null;
  const { services, env: variables } = wanted;
  const hostEnv = getAllowedHostVariables(env.PREVIEW_DOMAIN);
  const answer = await calls.callUnlessGone(() =>
    calls.program().services({ services, env: variables, restart: false, hostEnv }),
  );
  if (isRefusal(answer)) return answer;
  if (answer === undefined) return null;
  store.saveSettings((await sealSettings(env.SEALING_KEYS, { id: project.id, settings: wanted })).settings);
  return null;
}

/**
 * Loads the page of each public endpoint, and its health check. Failures are left to the check
 * before the promotion.
 */
export async function loadPages({ calls, store }: SandboxContext): Promise<void> {
  if (calls.sandbox().state !== "running") return;
  const services = store.settings()?.services ?? [];
  const pages = listFrontends(services).flatMap(({ port }) => {
    const endpoint = services.flatMap(({ endpoints }) => endpoints).find((one) => one.port === port);
    return [...new Set(["/", endpoint?.healthPath ?? "/"])].map((path) => ({ port, path }));
  });
  await Promise.allSettled(
    pages.map(async ({ port, path }) => {
      const signal = AbortSignal.timeout(pageWaitMs);
      const asked = new Request(`http://localhost${path}`, { signal });
      const page = await fetchFromService(calls.driver, calls.sandbox(), port, asked);
      // A page is warm once it was sent completely.
      await page.body?.pipeTo(new WritableStream(), { signal });
    }),
  );
}
