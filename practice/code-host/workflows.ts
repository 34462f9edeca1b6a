// Workflows of the code host's repositories. As at GitHub, the token of an app without the
// permission cannot change them, because they run with the repository's secrets.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { explainReport } from "../../src/code-host/git/push-report.ts";

const hook = `#!/bin/sh
case "$3" in *[!0]*) ;; *) exit 0 ;; esac
[ -z "$(git log --format= --name-only "$3" --not --all -- .github/workflows)" ]
`;
/** Git's reason for a push that a hook refuses, and GitHub's reason for this refusal. */
const declined = "hook declined";
const reason = "refusing to allow a GitHub App to create or update workflows without `workflows` permission";

/**
 * Writes the hook that refuses such pushes. Returns the configuration that enables it for one
 * request.
 */
export async function writeWorkflowGuard(folder: string): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "update"), hook, { mode: 0o755 });
  return { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.hooksPath", GIT_CONFIG_VALUE_0: folder };
}

/** Replaces the reason in the report of a push. */
export async function withReason(report: Uint8Array): Promise<Uint8Array> {
  const explained = explainReport({ capabilities: ["side-band-64k"] }, (said) => (said === declined ? reason : null));
  return await new Response(new Blob([report.slice()]).stream().pipeThrough(explained)).bytes();
}
