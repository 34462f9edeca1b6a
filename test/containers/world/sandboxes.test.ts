// Sandboxes as containers of a real engine, as their users see them: turns, previews, pauses, and
// what an agent finds in its shell.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenedSession } from "../../support/client.ts";
import { openPreview } from "../../support/probed-preview.ts";
import { openSocket } from "../../support/web-socket.ts";
import { type ContainerWorld, startContainerWorld } from "../support/container-world.ts";

let containers: ContainerWorld;
let session: OpenedSession;
beforeAll(async () => {
  containers = await startContainerWorld();
  session = await containers.openSession({ write: { path: "kept.txt", content: "kept work\n" } });
});
afterAll(async () => containers?.remove());
const inShell = (command: string) => containers.readOutput(session, command);

test("a turn runs commands in the image, as a user without rights of root", async () => {
  const said = await inShell(
    "cat kept.txt; id -un; git status --porcelain; grep -hE '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)' /proc/self/status",
  );
  const none = "0000000000000000";
  expect(said.split(/\s+/).join(" ")).toBe(
    `kept work agent ?? kept.txt CapInh: ${none} CapPrm: ${none} CapEff: ${none} CapAmb: ${none} NoNewPrivs: 1 `,
  );
});

test("no process in the container is root while a turn runs a command, by any of its user ids", async () => {
  const users = await inShell("grep -hE '^Uid' /proc/[0-9]*/status | sort -u");
  expect(users.replaceAll("\t", " ")).toBe(
    // The agent's commands, the program with the agent's rights, and the first process.
    "Uid: 1000 1000 1000 1000\nUid: 990 1000 990 1000\nUid: 990 990 990 990\n",
  );
  const may = await inShell("grep -hE '^Cap(Prm|Amb)' /proc/1/status /proc/$(pgrep -of '^node .*sandbox.cjs')/status");
  const changeUsers = "00000000000000c0";
  expect(may.match(/[0-9a-f]{16}/g)).toEqual([changeUsers, changeUsers, changeUsers, changeUsers]);
});

test("a container that may not change users ends with a sentence; one without new privileges starts", async () => {
  const { docker, id } = await containers.findContainer(session);
  const image = (await docker("inspect", "--format", "{{.Config.Image}}", id)).trim();
  const settings = ["SANDBOX_SECRET=none", "SANDBOX_LEASH=stdin"].flatMap((setting) => ["--env", setting]);
  const run = (...options: string[]) => docker("run", "--rm", "--network", "none", ...settings, ...options, image);
  const refusals = [
    ["--user", "program"],
    ["--cap-drop", "ALL"],
  ];
  for (const options of refusals)
    await expect(run(...options)).rejects.toThrow("The sandbox program may not change users.");
  expect(await run("--security-opt", "no-new-privileges")).toMatch(/^\{"port":\d+\}/);
});

test("a container whose https is opened waits for the platform's certificate, and adds it to its own", async () => {
  const { docker, id } = await containers.findContainer(session);
  const image = (await docker("inspect", "--format", "{{.Config.Image}}", id)).trim();
  const settings = ["SANDBOX_SECRET=none", "SANDBOX_OPENS_HTTPS=1"].flatMap((setting) => ["--env", setting]);
  const run = ["run", "--rm", "--network", "none", ...settings];
  await expect(docker(...run, image)).rejects.toThrow("did not come within ten seconds");
  const shown = await docker(
    ...[...run, "--env", "SANDBOX_LEASH=stdin", "--entrypoint", "sh", image, "-c"],
    `mkdir -p /etc/cloudflare/certs; (sleep 1; echo added > /etc/cloudflare/certs/cloudflare-containers-ca.crt) &
    sh /opt/sandbox/start.sh node /opt/sandbox/sandbox.cjs < /dev/null
    tail -n 1 /etc/ssl/certs/ca-certificates.crt; head -n 1 /etc/ssl/certs/ca-certificates.crt; curl --version | head -c 4`,
  );
  expect(shown).toMatch(/^\{"port":\d+\}\nadded\n-----BEGIN CERTIFICATE-----\ncurl$/);
});

test("a preview forwards requests and WebSockets to a service in the container", async () => {
  const { send, host, cookie } = await openPreview(containers.world.address(), session.id);
  const page = await send({ path: "/", headers: { cookie } });
  expect([page.status, page.text]).toEqual([200, expect.stringContaining("<h1>Departures</h1>")]);
  const socket = await openSocket(containers.world.address().baseUrl, "/live", { host, cookie });
  if (typeof socket === "number") throw new Error(`The upgrade was refused with ${socket}.`);
  await expect.poll(() => socket.received).toContainEqual(JSON.stringify({ viewers: 1, waves: 0 }));
  socket.send("wave");
  await expect.poll(() => socket.received).toContainEqual(JSON.stringify({ viewers: 1, waves: 1 }));
  socket.close();
  expect((await socket.closed).code).toBe(1000);
});

test("a pause ends the container, and a wake has the work in a new one", async () => {
  const before = await containers.findContainer(session);
  await inShell("git add kept.txt; git commit -qm kept; echo changed >> kept.txt; echo new > untracked.txt");
  const over = before.over();
  await containers.pause(session);
  await over;
  expect(await inShell("cat kept.txt untracked.txt; git log -1 --format=%s")).toBe("kept work\nchanged\nnew\nkept\n");
  expect((await containers.findContainer(session)).id).not.toBe(before.id);
});

test("ten concurrent sessions all get a container", async () => {
  const opened = await Promise.all(
    Array.from({ length: 10 }, (_, place) => containers.openSession({ bash: `echo ${place} > own.txt` })),
  );
  const names = await Promise.all(opened.map((one) => containers.readOutput(one, "hostname; cat own.txt")));
  expect(new Set(names.map((name) => name.split("\n")[0])).size).toBe(10);
  expect(names.map((name) => name.split("\n")[1])).toEqual(Array.from({ length: 10 }, (_, place) => String(place)));
  await Promise.all(opened.map((one) => containers.pause(one)));
});

test("a file that is saved repeatedly after a quiet time, and read meanwhile, can always be read", async () => {
  const content = `${session.path}/preview/files/content`;
  const save = (round: number) =>
    containers.owner.put(content, { path: "kept.txt", content: `${round}`, clientId: randomUUID() });
  const read = () => containers.owner.get(`${content}?path=kept.txt`);
  // More concurrent calls than there are connections, so that the first kind of call opens some and
  // the others reuse them.
  const several = <Call>(call: () => Call) => Array.from({ length: 6 }, call);
  for (const round of [1, 2, 3]) {
    const replies = await Promise.all(several(() => save(round)));
    replies.push(...(await Promise.all(several(read))));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  }
  expect((await read()).body.data.content).toBe("3");
});

describe("what an agent runs in the container", () => {
  /** The secret of the sandbox, which only the engine shows. */
  async function secret(): Promise<string> {
    const { docker, id } = await containers.findContainer(session);
    const env = await docker("inspect", "--format", "{{json .Config.Env}}", id);
    return /SANDBOX_SECRET=([^"]+)/.exec(env)?.[1] ?? "";
  }

  test("reads neither the environment nor the memory of the program and of the first process, and no secret anywhere", async () => {
    const known = await secret();
    expect(known).toHaveLength(43);
    const program = "$(pgrep -of '^node .*sandbox.cjs')";
    const looks = ["environ", "maps", "mem", "fd/", "root/", "cwd/", "auxv", "task/1/environ"].flatMap((place) =>
      ["1", program].map((process) => `head -c 64 /proc/${process}/${place} 2>&1 || ls /proc/${process}/${place}`),
    );
    const said = await inShell(
      `test -n "${program}" && echo found; ${looks.join("; ")}; cat /proc/[0-9]*/environ 2> /dev/null | tr '\\0' '\\n'`,
    );
    expect(said).toContain("found");
    expect(said).not.toContain(known);
    expect(said).not.toContain("SANDBOX_SECRET");
    const refused = said.match(/Permission denied/g) ?? [];
    expect(refused.length).toBeGreaterThanOrEqual(looks.length);
  });

  test("neither reads, signals nor steers a shell that waits for the next command, before and after it", async () => {
    const known = await secret();
    const looks = ["environ", "mem", "maps", "auxv", "fd/0", "fd/1", "cwd/", "root/"];
    const probe = [
      // The shells of the turn's next commands: they start beside the call to the model, and one
      // may still be on its way.
      "waiting() { for p in /proc/[0-9]*; do tr '\\0' ' ' 2> /dev/null < $p/cmdline | grep -q '^/bin/sh -c read -r line.* standby ' && basename $p; done; }",
      "W=$(for i in $(seq 100); do waiting && break; sleep 0.02; done | head -1)",
      'test -n "$W" && echo found',
      'grep -E "^Uid" /proc/$W/status | tr "\\t" " "',
      ...looks.map((place) => `head -c 64 /proc/$W/${place} 2>&1 || ls /proc/$W/${place}`),
      "{ echo 'touch /tmp/steered' > /proc/$W/fd/0; } 2> /dev/null && echo steered",
      "for s in TERM STOP CONT HUP KILL; do kill -$s $W 2> /dev/null && echo signalled; kill -$s -- -$W 2> /dev/null && echo signalled; done",
      "{ echo 1000 > /proc/$W/oom_score_adj; } 2> /dev/null && echo chosen",
      `python3 -c "import ctypes; libc = ctypes.CDLL(None); print('traced' if libc.ptrace(16, $W, 0, 0) == 0 else 'refused')"`,
      "test -d /proc/$W && echo waits",
      "test -e /tmp/steered && echo steered; true",
    ].join("\n");
    const job = await containers.owner.run(session.path, { bash: probe }, { bash: probe }, { say: "Done." });
    expect(job).toMatchObject({ status: "completed", error: null });
    const blocks = await containers.owner.listBlocks(session.path, job.id);
    for (const { output } of blocks.slice(0, 2)) {
      const said = String(output);
      expect(said).toMatch(/^found\nUid: 990 990 990 990\n/);
      expect(said).toMatch(/\nrefused\nwaits\n$/);
      expect(said).not.toMatch(/steered|signalled|chosen/);
      expect(said).not.toContain(known);
      expect((said.match(/Permission denied/g) ?? []).length).toBeGreaterThanOrEqual(looks.length);
    }
  });

  test("neither signals, stops, traces nor slows down the program, and cannot become root", async () => {
    const traced =
      "import ctypes; libc = ctypes.CDLL(None); print('traced' if libc.ptrace(16, P, 0, 0) == 0 else 'refused')";
    const said = await inShell(
      [
        "P=$(pgrep -of '^node .*sandbox.cjs')",
        "for s in TERM STOP USR1 KILL; do kill -$s $P 2> /dev/null && echo signalled; kill -$s 1 2> /dev/null && echo signalled; done",
        `python3 -c "${traced.replace("P,", "$P,")}"`,
        "{ echo 1000 > /proc/$P/oom_score_adj; } 2> /dev/null && echo chosen",
        "for id in 0 990; do setpriv --reuid=$id true 2> /dev/null && echo became $id; done",
        "unshare --user --map-root-user mount -t tmpfs none /mnt 2> /dev/null && echo mounted",
        "ls /sandbox/state 2> /dev/null && echo seen",
        "touch /opt/sandbox/compiled/x /opt/sandbox/sandbox.cjs 2> /dev/null && echo written",
        "find / -xdev -perm /6000 -user root -type f 2> /dev/null | head -1 | xargs -r stat -c 'setuid %U' | sort -u",
      ].join("; "),
    );
    expect(said.replace(/^setuid root\n/m, "")).toBe("refused\n");
  });

  test("leaves no zombie: the first process reaps what nobody waits for", async () => {
    await inShell("for i in 1 2 3 4 5; do (setsid sleep 0.01 &) ; done; sleep 0.2");
    expect(await inShell("ps -e -o stat= | grep -c Z; true")).toBe("0\n");
  });

  test("is killed before the program when memory runs out, and the turn continues", async () => {
    const { docker, id, exec } = await containers.findContainer(session);
    const program = (await exec("pgrep", "-of", "^node .*sandbox.cjs")).trim();
    await docker("update", "--memory", "400m", "--memory-swap", "400m", id);
    const one = "python3 -c 'import time; held = bytearray(16 << 20); time.sleep(600)'";
    const job = await containers.owner.run(
      session.path,
      { bash: `for i in $(seq 60); do ${one} & done; wait -n; echo "ended with $?"; kill $(jobs -p)` },
      { bash: "echo alive" },
      { say: "Done." },
    );
    expect(job).toMatchObject({ status: "completed", error: null });
    const blocks = await containers.owner.listBlocks(session.path, job.id);
    expect(blocks.slice(0, 2)).toMatchObject([
      { output: expect.stringContaining("ended with 137") },
      { output: "alive\n" },
    ]);
    expect((await exec("pgrep", "-of", "^node .*sandbox.cjs")).trim()).toBe(program);
    expect((await containers.findContainer(session)).id).toBe(id);
  });
});

test("the program starts with its compiled code", async () => {
  const { docker, id } = await containers.findContainer(session);
  const settings = "SANDBOX_SECRET=none SANDBOX_LEASH=stdin SANDBOX_ROOT=/tmp/again SANDBOX_WALL=none PORT=0";
  const started = `export NODE_DEBUG_NATIVE=COMPILE_CACHE; env ${settings} "\${argv[@]}" 2>&1 < /dev/null`;
  const argv = "tr '\\0' '\\n' < /proc/$(pgrep -of '^node .*sandbox.cjs')/cmdline";
  const said = await docker("exec", "--user", "program", id, "bash", "-c", `${argv} | (readarray -t argv; ${started})`);
  expect(said).toContain("cache for /opt/sandbox/sandbox.cjs was accepted");
});
