// The setup commands: what their log and their refusal show, and how long they may take.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSetupEnd, runSetup, setupTimeMs } from "../../../sandbox-program/project/setup.ts";
import { startDeadlineMs } from "../../../src/sandbox/rules/lifecycle.ts";
import { until } from "../../support/until.ts";
import { type BranchPair, startBranchPair } from "../support/branch-pair.ts";
import { isAlive } from "../support/processes.ts";

let pair: BranchPair;
beforeEach(async () => {
  pair = await startBranchPair({ "a.txt": "a\n" });
});
afterEach(async () => {
  vi.useRealTimers();
  await pair?.end();
});

const run = (commands: string[], env: Record<string, string> = {}) => runSetup(pair.folders, commands, env);
const logged = (file: string) => readFileSync(join(pair.folders.shared, "logs", file), "utf8");

test("the log has the last output, within its limit and without the environment's secrets", async () => {
  const env = { TOKEN: "canary-7f3a91" };
  await run(['yes "$TOKEN" | head -c 4900000', "printf canary-; printf '7f3a91, and done\\n'"], env);
  const files = ["setup.log", "setup.log.1"].map(logged);
  expect(files.map((text) => [text.length <= 1_024 * 1_024, text.includes("canary")])).toEqual([
    [true, false],
    [true, false],
  ]);
  expect(files[0]?.slice(-30)).toMatch(/\[redacted\], and done\n$/);
});

test("a refusal has the end of the output, without the rest of a secret that is cut", async () => {
  const env = { TOKEN: `${"a".repeat(40)}-canary` };
  const failed = run(['printf "$TOKEN"; printf "x%.0s" $(seq 990); exit 3'], env);
  const message = expect.stringMatching(/ended with exit code 3\.\n[^-]*x{990}$/);
  await expect(failed).rejects.toMatchObject({ refusal: "SETUP_FAILED", message });
});

test("a refusal names its command without the secrets in it, and not longer than a sentence", async () => {
  const failed = run([`echo canary-7f3a91 ${"x".repeat(2_000)}; exit 3`], { TOKEN: "canary-7f3a91" });
  const message = expect.stringMatching(/^The setup command `echo \[redacted\] x{1,500}…` ended with exit code 3\./);
  await expect(failed).rejects.toMatchObject({ refusal: "SETUP_FAILED", message });
});

test("a disk that takes no log keeps neither a command from running nor its output from the refusal", async () => {
  writeFileSync(join(pair.folders.shared, "logs"), "in the way of the folder");
  const failed = run(["echo No space left on device; exit 3"]);
  await expect(failed).rejects.toMatchObject({ message: expect.stringContaining("3.\nNo space left on device") });
});

test("a command gets no input to wait for", async () => {
  const failed = run(["read -p 'Name? ' name; exit $?"]);
  await expect(failed).rejects.toMatchObject({ message: expect.stringContaining("ended with exit code 1") });
});

test("commands that hang are named in a refusal before the waiting start times out", async () => {
  expect(setupTimeMs).toBeLessThan(startDeadlineMs);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const failed = run(["true", "echo $$ > id; exec sleep 600"]);
  const id = await until("the command", () => Number(pair.read("id")) || null);
  vi.advanceTimersByTime(setupTimeMs);
  const message = expect.stringMatching(/`echo .* sleep 600` was not done when 8 minutes of setup were over/);
  await expect(failed).rejects.toMatchObject({ refusal: "SETUP_FAILED", message });
  expect(isAlive(id)).toBe(false);
});

test("who waits reads the last lines of the command that runs or failed, without secrets", async () => {
  const end = createSetupEnd();
  const gate = join(pair.folders.root, "gate");
  const hang = `printf 'one\\ncanary-'; printf '7f3a91 two\\n'; while [ ! -e ${gate} ]; do sleep 0.02; done`;
  const env = { TOKEN: "canary-7f3a91" };
  const running = runSetup(pair.folders, ["echo before", hang], env, { end });
  await until("the output", () => end.read() === "one\n[redacted] two\n");
  writeFileSync(gate, "");
  await running;
  expect(end.read()).toBeNull();
  await expect(runSetup(pair.folders, ["seq 1000; exit 3"], {}, { end })).rejects.toThrow();
  expect(end.read()).toMatch(/^\d+\n[\d\n]{2000,2045}1000\n$/);
  await runSetup(pair.folders, [], {}, { end });
  expect(end.read()).toBeNull();
});
