// Containers that are moved, killed or replaced under a sandbox: no saved work is lost or
// overwritten by an older state, and a turn that cannot continue says why.
import { afterAll, beforeAll, expect, test } from "vitest";
import { processTree, readCommand, signalAll } from "../../support/process-tree.ts";
import { type ContainerWorld, startContainerWorld } from "../support/container-world.ts";

let containers: ContainerWorld;
beforeAll(async () => {
  containers = await startContainerWorld();
});
afterAll(async () => containers?.remove());

const kept = { write: { path: "kept.txt", content: "kept work\n" } };
/** Works until the test lets it continue. */
const gatedWork = "echo second >> kept.txt; until test -e /tmp/gate; do sleep 0.05; done";

async function openSaved() {
  const session = await containers.openSession(kept);
  const container = await containers.findContainer(session);
  await containers.saved(session);
  return { session, container };
}

test("SIGTERM in a turn: the turn continues to its end, its work is saved, and the next one has it in a new container", async () => {
  const { session, container } = await openSaved();
  const jobId = await containers.begin(session, { bash: gatedWork }, { say: "Went on." });
  const over = container.over();
  await container.signal("TERM");
  await container.exec("touch", "/tmp/gate");
  expect(await containers.ended(session, jobId)).toMatchObject({ status: "completed", error: null });
  expect((await containers.owner.listBlocks(session.path, jobId)).at(-1)).toMatchObject({ content: "Went on." });
  await over;
  expect(await containers.readOutput(session, "cat kept.txt")).toBe("kept work\nsecond\n");
  expect((await containers.findContainer(session)).id).not.toBe(container.id);
});

test("a checkout and a state that are closed to other users stay the session's, also in the container of a wake", async () => {
  const { session, container } = await openSaved();
  const close = "git commit --quiet --allow-empty --message closed; chmod -R go-rwx .";
  await containers.owner.run(session.path, { bash: close }, { say: "Closed." });
  const read = () => containers.readOutput(session, "git log -1 --format=%s; cat kept.txt");
  expect(await read()).toBe("closed\nkept work\n");
  await containers.saved(session);
  // As in a sandbox of bubblewrap that ran with the umask of the systemd unit.
  await container.exec("sh", "-c", "chmod -R go-rwx /sandbox/state/*");
  const over = container.over();
  await containers.pause(session);
  await over;
  expect(await read()).toBe("closed\nkept work\n");
});

test("SIGTERM right after a turn: that turn's work is saved, and a message that comes meanwhile runs", async () => {
  const { session, container } = await openSaved();
  const over = container.over();
  await containers.owner.run(session.path, { bash: "echo second >> kept.txt" }, { say: "Done." });
  await container.signal("TERM");
  expect(await containers.readOutput(session, "cat kept.txt; echo third >> kept.txt")).toBe("kept work\nsecond\n");
  await over;
  expect(await containers.readOutput(session, "cat kept.txt")).toBe("kept work\nsecond\nthird\n");
});

test("a container that is killed while it is idle is replaced by one with the saved work", async () => {
  const { session, container } = await openSaved();
  await container.signal("KILL");
  expect(await containers.readOutput(session, "cat kept.txt")).toBe("kept work\n");
  expect((await containers.findContainer(session)).id).not.toBe(container.id);
});

test("a turn whose container is killed fails with a reason, and the next one has the saved work", async () => {
  const { session, container } = await openSaved();
  const jobId = await containers.begin(session, { bash: "sleep 600" }, { say: "never said" });
  await container.signal("KILL");
  const job = await containers.ended(session, jobId);
  expect(job).toMatchObject({ status: "failed", error: expect.stringContaining("The sandbox stopped") });
  expect((await containers.owner.upNext(session.path)).paused).toMatchObject({ reason: "failed" });
  expect(await containers.readOutput(session, "cat kept.txt")).toBe("kept work\n");
});

const program = "$(pgrep -of '^node .*sandbox.cjs')";
/** Kills the program, empties its disk, and starts it again as the image does. */
const replaced = [
  `readarray -t argv < <(tr '\\0' '\\n' < /proc/${program}/cmdline)`,
  `kill -KILL ${program}`,
  "find /sandbox -mindepth 1 -delete",
  `setsid sh /opt/sandbox/start.sh "\${argv[@]}" > /dev/null 2>&1 < /dev/null &`,
  "until (: < /dev/tcp/127.0.0.1/$PORT) 2> /dev/null; do sleep 0.02; done",
].join("\n");

test.each(["a message", "a pause"])(
  "a program that comes back empty in a container that never stopped is lost, and %s after it loses no saved work",
  async (next) => {
    const { session, container } = await openSaved();
    const [first] = processTree(await container.firstProcess());
    const runtime = containers.world.processes().filter((one) => readCommand(one).includes("/workerd serve "));
    if (!first || runtime.length === 0) throw new Error("The container or the runtime has no process.");
    // The first process would end the container with the program, and the service would notice the
    // moment without one.
    signalAll([first, ...runtime], "SIGSTOP");
    await container.exec("bash", "-c", replaced);
    signalAll(runtime, "SIGCONT");
    if (next === "a pause") await containers.pause(session);
    expect(await containers.readOutput(session, "cat kept.txt")).toBe("kept work\n");
    await containers.pause(session);
    expect(await containers.readOutput(session, "cat kept.txt")).toBe("kept work\n");
    signalAll([first], "SIGCONT");
  },
);

test("a service that is killed in a turn comes back to the same container, and the turn ends as it would have", async () => {
  const { session, container } = await openSaved();
  const jobId = await containers.begin(session, { bash: gatedWork }, { say: "Went on." });
  await containers.killAndStart();
  await container.exec("touch", "/tmp/gate");
  expect(await containers.ended(session, jobId)).toMatchObject({ status: "completed", error: null });
  expect((await containers.owner.listBlocks(session.path, jobId)).at(-1)).toMatchObject({ content: "Went on." });
  expect((await containers.findContainer(session)).id).toBe(container.id);
  expect(await containers.readOutput(session, "cat kept.txt")).toBe("kept work\nsecond\n");
});
