// A spare becomes the sandbox of a session.
import { describe, expect, it } from "vitest";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { recordChange, recordStart, startFailed, wake } from "../../../src/sandbox/rules/lifecycle.ts";
import { getMainSandboxOwner, getSpareSandboxOwner, type SandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { pauseIfIdle, stopGracefully } from "../../../src/sandbox/rules/pause.ts";
import { changedTo, command, createStart, owner, sandbox } from "../../support/sandbox-state.ts";
import { accepted, now } from "../../support/session-state.ts";

const project = { id: owner.projectId, workspaceId: owner.workspaceId, targetBranch: owner.baseBranch };
const spare = getSpareSandboxOwner(project, "s0123456789abcdef");
const ready = sandbox("running", { owner: spare, archiveKey: null, runningSince: now - 60_000 });

describe("a session that claims a spare", () => {
  it("gets its running process, under a new generation, and the start makes the checkout its own", () => {
    const { state, result, effects } = accepted(wake(ready, command, now));
    expect(result).toBe("starting");
    expect(state).toMatchObject({
      state: "resuming",
      owner,
      generation: 3,
      secret: ready.secret,
      spareBranch: spare.branch,
    });
    expect(effects).toContainEqual({ type: "start", id: 3 });
    const up = accepted(recordStart(state, createStart(3), now)).state;
    expect(up).toMatchObject({ state: "running", owner });
    expect(up).not.toHaveProperty("spareBranch");
    expect(accepted(wake(up, command, now)).result).toBe("running");
  });

  it("starts again under the same key if the spare has stopped", () => {
    const { state } = accepted(wake(changedTo(ready, { state: "absent" }), command, now));
    expect(state).toMatchObject({ state: "resuming", owner, generation: 3, secret: command.secret });
  });

  const others: [string, SandboxOwner, SandboxOwner][] = [
    ["of another project", spare, { ...owner, projectId: "project-2" }],
    ["of another workspace", spare, { ...owner, workspaceId: "ws_2" }],
    ["of another Target Branch", spare, { ...owner, baseBranch: "next" }],
    ["that is a session's by now", { ...owner, id: "session-2" }, owner],
    ["for the main sandbox", spare, getMainSandboxOwner(project)],
    ["that is the main sandbox", getMainSandboxOwner(project), owner],
  ];
  it.each(others)("does not get one %s", (_, present, wanted) => {
    const refusal = wake({ ...ready, owner: present }, { ...command, owner: wanted }, now);
    expect(isRefusal(refusal) && refusal.code).toBe("BAD_REQUEST");
  });

  it("does not get one that is still starting, or was deleted", () => {
    for (const state of ["creating", "resuming", "gone"] as const)
      expect(isRefusal(wake(changedTo(ready, { state }), command, now))).toBe(true);
  });
});

describe("a spare", () => {
  it("ends instead of pausing: there is nothing to save", () => {
    const idle = accepted(pauseIfIdle({ ...ready, lastUsedAt: 0 }, now));
    const stopped = accepted(stopGracefully(ready, now));
    for (const { state, effects } of [idle, stopped]) {
      expect(state).toMatchObject({ state: "absent", archiveKey: null });
      expect(effects).toEqual([{ type: "end", id: 2 }]);
    }
    expect(accepted(recordChange(ready, now)).effects).toEqual([]);
  });
});

it("a start reports which setup command failed, and whether saved work can be restored at all", () => {
  const main = sandbox("resuming", { owner: getMainSandboxOwner(project) });
  const up = accepted(recordStart(main, { ...createStart(2), setupFailure: "`make` failed" }, now));
  expect(up.state).toMatchObject({ setupFailure: "`make` failed" });
  const refusal = { code: "SERVICE_UNAVAILABLE" as const, message: "The saved work is missing." };
  const failed = accepted(startFailed(main, 2, refusal, now, true));
  expect(failed.state).toMatchObject({ state: "paused", failure: { refusal, isUnrestorable: true } });
});
