// The run lock: one world per state folder.
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { claimFreePort } from "../../practice/free-port.ts";
import { claimStateDir } from "../../scripts/run-lock.ts";

test.runIf(process.platform === "linux")(
  "of two starts in the same moment, only one gets the state folder, whatever its path",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "switchyard-lock-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const other = `${folder}-other`;
    symlinkSync(folder, other);
    onTestFinished(() => rmSync(other));
    const ports = [await claimFreePort(), await claimFreePort()] as const;
    const claims = await Promise.all([claimStateDir(folder, ports[0]), claimStateDir(other, ports[1])]);
    const refused = claims.find((claim) => !claim.ok);
    expect(refused?.reason).toMatch(/^Switchyard already runs from /);
    const won = claims.find((claim) => claim.ok);
    await won?.release();
    const next = await claimStateDir(folder, ports[0]);
    expect(next.ok).toBe(true);
    if (next.ok) await next.release();
  },
);
