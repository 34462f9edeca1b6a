// The Official Marketplaces on one machine: repositories of the stand-in code host that anybody may
// read, created from `practice/marketplaces/`.
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Marketplace, marketplaceManifest } from "../src/plugin/rules/offered.ts";
import type { PracticeCodeHost } from "./code-host/practice-code-host.ts";

const folders = join(import.meta.dirname, "marketplaces");
const owner = "marketplaces";
const run = promisify(execFile);

/**
 * A plugin of another repository. Both marketplaces refer to its commit, which is only known once
 * that repository exists.
 */
const byCommit = { plugin: "changelog-plugin", stands: "COMMIT-OF-CHANGELOG-PLUGIN" };

const marketplaces: Marketplace[] = [
  { provider: "anthropic", repository: `${owner}/claude-plugins`, ref: null },
  { provider: "openai", repository: `${owner}/codex-plugins`, ref: null },
];

/** Creates the missing repositories and returns the setting that names them. */
export async function createMarketplaces(
  codeHost: Pick<PracticeCodeHost, "createRepository" | "makePublic" | "getFolder">,
) {
  await createMarketplace(codeHost, byCommit.plugin, join(folders, byCommit.plugin));
  const { stdout } = await run("git", [
    "--git-dir",
    codeHost.getFolder(`${owner}/${byCommit.plugin}`),
    "rev-parse",
    "HEAD",
  ]);
  for (const { provider, repository } of marketplaces) {
    const name = repository.slice(owner.length + 1);
    const filled = await mkdtemp(join(tmpdir(), "marketplace-"));
    try {
      await cp(join(folders, name), filled, { recursive: true });
      const manifest = join(filled, marketplaceManifest[provider]);
      await writeFile(manifest, (await readFile(manifest, "utf8")).replace(byCommit.stands, stdout.trim()));
      await createMarketplace(codeHost, name, filled);
    } finally {
      await rm(filled, { recursive: true });
    }
  }
  return JSON.stringify(marketplaces);
}

async function createMarketplace(
  codeHost: Pick<PracticeCodeHost, "createRepository" | "makePublic">,
  name: string,
  files: string,
): Promise<void> {
  await codeHost.createRepository(`${owner}/${name}`, files);
  codeHost.makePublic(`${owner}/${name}`);
}
