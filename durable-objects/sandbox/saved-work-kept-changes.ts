// Keeps what a checkout has changed, so that it can be read while the sandbox sleeps. A file may hold a secret of the project; what is kept does not.

import { boundChanges, type KeptChanges, patchOf } from "../../src/checkout/rules/saved-changes.ts";
import { reasonOf } from "../../src/error-text.ts";
import { createRedaction } from "../../src/rules/redaction.ts";
import { SandboxUnreachable } from "../../src/sandbox/program/driver.ts";
import type { ChangedFile, CheckoutAnswer, CheckoutQuery, GitLog } from "../../src/sandbox-protocol/checkout-query.ts";
import type { SandboxContext } from "./context.ts";
import { settingsInForce } from "./settings.ts";

export type CheckoutChanges = KeptChanges<ChangedFile, GitLog["commits"][number]>;

/**
 * Reads the changes of a running sandbox behind a save, and keeps them. A failure is only logged: what was kept before stays. A sandbox that has
 * ended meanwhile is none: its work was saved before, or is gone with its session.
 */
export async function keepChanges(context: SandboxContext): Promise<void> {
  const { store, access } = context;
  const { owner, generation } = access.sandbox();
  if (owner === null) return;
  const base = owner.baseBranch;
  try {
    const at = Date.now();
    const program = access.program();
    const [settings, changes, log, patch] = await Promise.all([
      settingsInForce(context, owner.projectId),
      program.gitChanges(base),
      program.gitLog(base),
      program.gitPatch(base, null),
    ]);
    if (!changes.ok || !log.ok || !patch.ok || access.sandbox().generation !== generation) return;
    const { files } = changes.value;
    const { commits } = log.value;
    const { value: withoutSecrets } = createRedaction(Object.values(settings?.env ?? {}));
    // Before they are cut, which could leave the half of a secret.
    store.keepChanges(boundChanges(withoutSecrets({ at, base, files, commits, ...patch.value })));
  } catch (error) {
    if (error instanceof SandboxUnreachable && error.isMissing) return;
    console.error("the changes of a checkout were not kept", access.key, reasonOf(error));
  }
}

/** Answers a query from what was kept. Empty if nothing was, or if it was compared with another base. */
export function answerKept(kept: CheckoutChanges | null, query: CheckoutQuery): CheckoutAnswer {
  if (kept === null || !("base" in query) || query.base !== kept.base) return {};
  const { at: asOf, files, commits, patch, isCut } = kept;
  switch (query.type) {
    case "changes":
      return { changes: { files }, asOf };
    case "log":
      return { log: { commits }, asOf };
    case "patch":
      return { patch: { patch: query.path === null ? patch : patchOf(patch, query.path), isCut }, asOf };
    default:
      return {};
  }
}
