// The images of a Worker that nothing runs any longer, in the registry of the account.
import type { AccountFacts } from "./account.ts";
import { listApplications } from "./account.ts";
import type { Platform } from "./api.ts";
import { listUsedImages } from "./application.ts";
import { findOldImages } from "./image.ts";
import type { Settings } from "./settings.ts";
import type { Tools } from "./tools.ts";

/** Reads wrangler's list of the account's images; null if it cannot be read. */
export const readImageList = (tools: Pick<Tools, "readWrangler">) =>
  tools.readWrangler("containers", "images", "list", "--json");

export interface Pruning {
  tools: Pick<Tools, "readWrangler">;
  platform: Platform;
  facts: Pick<AccountFacts, "account">;
  settings: Pick<Settings, "workerName">;
  /** The list of images when the deployment began. A later one may be of another deployment. */
  imagesBefore: string | null;
  say(line: string): void;
}

/**
 * Deletes the old images but `keeps` and those that an application runs. An image that cannot be
 * deleted costs some storage. The next deployment tries again.
 */
export async function deleteOldImages(
  { tools, platform, facts, settings, imagesBefore, say }: Pruning,
  keeps: readonly string[],
): Promise<void> {
  // The deployment took minutes, in which another one may have taken an image.
  const applications = await listApplications(platform, facts.account.id).catch(() => null);
  if (imagesBefore === null || applications === null) return say("    The images cannot be listed. They stay.");
  const old = findOldImages(imagesBefore, settings.workerName, [...keeps, ...listUsedImages(applications)]);
  if (old === null) return say("    wrangler lists the images in an unknown form. They stay.");
  for (const image of old)
    if ((await tools.readWrangler("containers", "images", "delete", image, "--skip-confirmation")) === null)
      say(`    ${image} cannot be deleted. It stays.`);
}
