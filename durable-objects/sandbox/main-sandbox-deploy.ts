// The sandbox of a Deploy: it works with the settings of now, and its pages are loaded before it becomes the live one.

import { fetchFromService } from "../../src/preview/host/forward.ts";
import { allowedHostVariables } from "../../src/preview/rules/allowed-hosts.ts";
import { findProject } from "../../src/project/queries.ts";
import { frontendsOf } from "../../src/project/rules/settings.ts";
import { sealSettings } from "../../src/project/settings.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import type { SandboxOwner } from "../../src/sandbox/rules/owner.ts";
import type { SandboxContext } from "./context.ts";
import { settingsInForce, wantedSettings } from "./settings.ts";

/** The pages of one endpoint are loaded within this. */
const pageWaitMs = 20_000;

/** Restarts the services that the settings of now change. A sandbox that does not run takes them when it wakes. */
export async function refreshSettings(context: SandboxContext, owner: SandboxOwner): Promise<Refusal | null> {
  const { env, store, access } = context;
  if (access.sandbox().state !== "running") return null;
  const project = await findProject(env.DB, owner.projectId);
  if (!project) return refuse("NOT_FOUND", "The project has been deleted.");
  const wanted = await wantedSettings(env, { key: access.key, owner }, project);
  const present = await settingsInForce(context, owner.projectId);
  if (JSON.stringify(present) === JSON.stringify(wanted)) return null;
  const { services, env: variables } = wanted;
  const hostEnv = allowedHostVariables(env.PREVIEW_DOMAIN);
  const answer = await access.askProgram(() =>
    access.program().services({ services, env: variables, restart: false, hostEnv }),
  );
  if (isRefusal(answer)) return answer;
  if (answer === undefined) return null;
  store.keepSettings((await sealSettings(env.SEALING_KEYS, { id: project.id, settings: wanted })).settings);
  return null;
}

/** Loads the page of each public endpoint, and what tells its health. What fails is left to the check before the promotion. */
export async function warmPages({ access, store }: SandboxContext): Promise<void> {
  if (access.sandbox().state !== "running") return;
  const services = store.settings()?.services ?? [];
  const pages = frontendsOf(services).flatMap(({ port }) => {
    const endpoint = services.flatMap(({ endpoints }) => endpoints).find((one) => one.port === port);
    return [...new Set(["/", endpoint?.healthPath ?? "/"])].map((path) => ({ port, path }));
  });
  await Promise.allSettled(
    pages.map(async ({ port, path }) => {
      const signal = AbortSignal.timeout(pageWaitMs);
      const asked = new Request(`http://localhost${path}`, { signal });
      const page = await fetchFromService(access.driver, access.sandbox(), port, asked);
      // A page is warm once it was sent as a whole.
      await page.body?.pipeTo(new WritableStream(), { signal });
    }),
  );
}
