// Who can make a backup of a state folder.
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkBackup } from "../../scripts/state-backup.ts";

test("only the user of the state folder makes a backup, because the service could not read another user's copy", async () => {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const stateDir = join(folder, "state");
  mkdirSync(join(stateDir, "cloudflare"), { recursive: true });
  const { uid } = statSync(stateDir);
  expect(await checkBackup(stateDir, join(folder, "copy"), uid)).toBeNull();
  expect(await checkBackup(stateDir, join(folder, "copy"), uid + 1)).toContain(
    "Run the command as that user:  runuser",
  );
});
