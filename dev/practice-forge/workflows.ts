// Workflows of the forge's repositories, which run with their secrets. As at GitHub, no token of an app without the permission changes them.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { explainReport } from "../../src/code-host/git/explain-report.ts";

const hook = `#!/bin/sh
case "$3" in *[!0]*) ;; *) exit 0 ;; esac
[ -z "$(git log --format= --name-only "$3" --not --all -- .github/workflows)" ]
`;
/** What git says of a push that a hook refuses, and what GitHub says of this one. */
const declined = "hook declined";
const reason = "refusing to allow a GitHub App to create or update workflows without `workflows` permission";

/** Writes the hook that refuses such pushes. Answers the configuration that puts it in force for one request. */
export async function workflowGuard(folder: string): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "update"), hook, { mode: 0o755 });
  return { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.hooksPath", GIT_CONFIG_VALUE_0: folder };
}

/** Puts the reason into the report of a push. */
export async function withReason(report: Uint8Array): Promise<Uint8Array> {
  const words = explainReport({ capabilities: ["side-band-64k"] }, (said) => (said === declined ? reason : null));
  return await new Response(new Blob([report.slice()]).stream().pipeThrough(words)).bytes();
}
