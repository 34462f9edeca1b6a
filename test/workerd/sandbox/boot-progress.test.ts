// What a start reports to its session while the setup of its checkout runs.
import { expect, test, vi } from "vitest";
import { createBootProgress } from "../../../durable-objects/sandbox/boot-progress.ts";
import type { Boot } from "../../../src/chat/rules/boot.ts";
import type { Env } from "../../../src/env.ts";
import type { ProgramAnswer } from "../../../src/sandbox/program/response.ts";
import type { SandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import type { SetupOutput } from "../../../src/sandbox-protocol/protocol.ts";
import { owner } from "../support/sandbox-driver.ts";

/** A start of this owner whose program answers in turn, and the ends that its session was shown. */
function createStart(of: SandboxOwner, answers: ProgramAnswer<unknown>[]) {
  const shown: Boot["logEnd"][] = [];
  let reads = 0;
  const session = { showBoot: async ({ logEnd }: Boot) => void shown.push(logEnd) };
  const env = { SESSION: { getByName: () => session } } as unknown as Env;
  const program = {
    async setupOutput() {
      reads += 1;
      const answer = answers[Math.min(reads, answers.length) - 1];
      return answer as ProgramAnswer<SetupOutput>;
    },
  };
  const progress = createBootProgress(env, of);
  const run = (checkout: () => Promise<unknown>) =>
    progress.watch("checkOut", () => progress.watchSetup(program, checkout));
  return { shown, run, reads: () => reads };
}

const says = (end: unknown) => ({ ok: true as const, value: { end } });

test("a session is shown each new end of the setup's output, and nothing of it once that is done", async () => {
  const answers = [says(null), says("one\n"), says("one\n"), says({ evil: true }), says("x".repeat(5_000))];
  const start = createStart(owner, answers);
  await start.run(() => vi.waitUntil(() => start.shown.at(-1)?.startsWith("x"), { timeout: 60_000 }));
  await vi.waitUntil(() => start.shown.at(-1) === null);
  expect(start.shown).toEqual([null, "one\n", null, "x".repeat(2_048), null]);
  expect(start.reads()).toBe(answers.length);
});

test("a program that does not know the call is asked once, and that of a main sandbox never", async () => {
  const { id: _, ...rest } = owner;
  const main = { ...rest, type: "main", id: rest.projectId } as unknown as SandboxOwner;
  const unknown = createStart(owner, [{ ok: false, refusal: { code: "NOT_FOUND", message: "no" } }]);
  const ofMain = createStart(main, [says("one\n")]);
  const other = createStart(owner, [says("one\n")]);
  // Long enough for another start to read three times.
  const checkout = () => vi.waitUntil(() => other.reads() === 3, { timeout: 60_000 });
  await Promise.all([unknown, ofMain, other].map(({ run }) => run(checkout)));
  expect([unknown.reads(), ofMain.reads(), ofMain.shown]).toEqual([1, 0, []]);
});
