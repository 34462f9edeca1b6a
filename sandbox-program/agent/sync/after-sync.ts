// The steps after a sync: the commits are pushed unless the user pushes them by hand, setup runs
// again, the services restart.

import type { Folders } from "../../folders.ts";
import type { SyncOutcome } from "../../git/branch/sync.ts";
import { pushBranch } from "../../git/commit-and-push.ts";
import { isRefusal } from "../../http/refusal.ts";
import { requireCheckout } from "../../project/checkout-record.ts";
import { runSetup } from "../../project/setup.ts";
import type { Services } from "../../services/services.ts";
import { callService, type ServiceEndpoint } from "../tools/service-task.ts";
import type { SyncPlan } from "./plan.ts";

export interface AfterSync {
  folders: Folders;
  services: Pick<Services, "apply">;
  plan: SyncPlan;
  gitToken: string;
  endpoint: ServiceEndpoint;
  signal: AbortSignal;
}

/**
 * Runs the steps and reports each in a sentence. If a step fails, its failure is reported and the
 * next one still runs.
 */
export async function runAfterSync(
  { folders, services, plan, gitToken, endpoint, signal }: AfterSync,
  { how }: Extract<SyncOutcome, { status: "synced" }>,
): Promise<string[]> {
  const { branch } = requireCheckout(folders);
  const sentences = [
    how === "merge" ? `${plan.base} is merged into ${branch}.` : `${branch} is rebased onto ${plan.base}.`,
  ];
  signal.throwIfAborted();
  if (plan.pushes) {
    sentences.push(
      await tried("It is pushed.", "It could not be pushed", () => pushBranch(folders, { token: gitToken }, signal)),
    );
    // Best effort: if the service is unreachable, the code host's webhook reports the push.
    await callService(endpoint, "branch-synced", {}, signal).catch(() => {});
  } else {
    sentences.push(
      "It stays in the sandbox until somebody pushes it, because the user's Commits preference is Manual.",
    );
  }
  signal.throwIfAborted();
  if (plan.setup.length > 0)
    sentences.push(
      await tried("Setup has run again.", "Setup did not run through", () =>
        runSetup(folders, plan.setup, plan.env, { signal }),
      ),
    );
  signal.throwIfAborted();
  if (plan.services.length > 0) {
    const restart = { services: plan.services, env: plan.env, restart: true };
    sentences.push(
      await tried("The services have been restarted.", "The services could not be restarted", () =>
        services.apply(restart),
      ),
    );
  }
  return sentences;
}

async function tried(done: string, failed: string, act: () => Promise<void>): Promise<string> {
  try {
    await act();
    return done;
  } catch (error) {
    if (isRefusal(error)) return `${failed}: ${error.message}`;
    throw error;
  }
}
