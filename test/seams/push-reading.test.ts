// The git gateway's reading of a push: its commands in chunks of any size, and the ancestry of its
// commits, in packs written by git.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createByteReader } from "../../src/code-host/git/byte-reader.ts";
import { applyDelta, readAncestry } from "../../src/code-host/git/pack.ts";
import { readPushHead } from "../../src/code-host/git/push-commands.ts";
import { createGitBody } from "../../src/code-host/git/request-body.ts";
import { createBodyMemory } from "../../src/lib/byte-budget.ts";
import { pushInspectionBytes } from "../../src/rules/limits.ts";

const [a, b] = ["a".repeat(40), "b".repeat(40)];
const ref = "refs/heads/svc/own";
const packet = (line: string) => `${(line.length + 4).toString(16).padStart(4, "0")}${line}`;
const command = `${a} ${b} ${ref}\0 report-status side-band-64k agent=git/2.43`;

const memory = createBodyMemory(4 * pushInspectionBytes);

function createBody(bytes: Uint8Array | string, chunkBytes = 1 << 20) {
  const all = Buffer.from(bytes as string, "latin1");
  let at = 0;
  return createByteReader(
    new ReadableStream({
      pull(controller) {
        if (at >= all.length) return controller.close();
        controller.enqueue(new Uint8Array(all.subarray(at, at + chunkBytes)));
        at += chunkBytes;
      },
    }),
    memory,
  );
}

describe("the commands of a push", () => {
  const whole = `${packet(command)}0000PACK and what follows`;
  test.each([1, 2, 3, 5, 7, 50, 10_000])("are read in pieces of %i bytes, and everything is forwarded", async (n) => {
    const body = createBody(whole, n);
    expect(await readPushHead(body)).toEqual({
      commands: [{ oldId: a, newId: b, ref }],
      capabilities: ["report-status", "side-band-64k", "agent=git/2.43"],
      length: whole.indexOf("PACK"),
    });
    expect(await new Response(body.whole()).text()).toBe(whole);
  });

  test.each<[string, string, string[]]>([
    ["a length in capitals", `${packet(command).replace(/^..../, (length) => length.toUpperCase())}0000`, [ref]],
    ["a line end", `${packet(`${command}\n`)}0000`, [ref]],
    ["several commands", `${packet(command)}${packet(`${a} ${b} refs/heads/main`)}0000`, [ref, "refs/heads/main"]],
    ["where a shallow clone begins", `${packet(`shallow ${a}`)}${packet(command)}0000`, [ref]],
    ["none, as a probe", "0000", []],
  ])("may have %s", async (_, text, refs) => {
    expect((await readPushHead(createBody(text)))?.commands.map((each) => each.ref)).toEqual(refs);
  });

  test.each<[string, string]>([
    ["nothing", ""],
    ["an end before its time", packet(command)],
    ["a line cut short", packet(command).slice(0, 60)],
    ["a length with a sign", `+0${packet(command).slice(2)}0000`],
    ["a length with a blank", ` ${packet(command).slice(1)}0000`],
    ["a length that is none", `zzzz${command}0000`],
    ["a delimiter of another protocol", `0001${packet(command)}0000`],
    ["a line of nothing", `0004${packet(command)}0000`],
    ["a line longer than lines are", `ffff${command}${" ".repeat(65_535)}0000`],
    ["an id in capitals", `${packet(command.replace(a, a.toUpperCase()))}0000`],
    ["an id too short", `${packet(command.replace(a, a.slice(1)))}0000`],
    ["a certificate", `${packet("push-cert\0push-options")}${packet("certificate version 0.1\n")}0000`],
    ["a line end before its capabilities", `${packet(command.replace("\0", "\n\0"))}0000`],
    ["a ref of nothing", `${packet(`${a} ${b} `)}0000`],
    ["more commands than a push has", `${packet(`${a} ${b} ${ref}`).repeat(700)}0000`],
    ["a pressed body", "\x1f\x8b\x08\x00\x00\x00\x00\x00"],
  ])("are not read from %s", async (_, text) => {
    expect(await readPushHead(createBody(text))).toBeNull();
  });
});

describe("a delta", () => {
  const base = new Uint8Array(65_536).fill(7);
  /** Seven bits per byte, the lowest first. */
  const size = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...size(value >> 7)]);
  /** Copies the whole base many times. Each copy takes one byte. */
  const copies = (times: number) =>
    Uint8Array.from([...size(base.length), ...size(base.length * times), ...Array(times).fill(0x80)]);

  test("never exceeds its limit, however short it is", () => {
    expect(applyDelta(base, copies(2), base.length * 2)).toEqual(new Uint8Array(base.length * 2).fill(7));
    expect(applyDelta(base, copies(2), base.length * 2 - 1)).toBeNull();
    expect(copies(4_000).length).toBeLessThan(4_096);
    expect(applyDelta(base, copies(4_000), 8 * 1_024 * 1_024)).toBeNull();
  });

  test("that has another length than announced, or copies missing bytes, is refused", () => {
    const said = Uint8Array.from([...size(base.length), ...size(base.length * 2), 0x80]);
    expect(applyDelta(base, said, 1 << 20)).toBeNull();
    expect(applyDelta(base.subarray(1), copies(1), 1 << 20)).toBeNull();
    expect(applyDelta(new Uint8Array(2), Uint8Array.from([2, 3, 0x91, 1, 3]), 1 << 20)).toBeNull();
    expect(applyDelta(new Uint8Array(0), Uint8Array.from([0, 2, 2, 65]), 1 << 20)).toBeNull();
  });
});

describe("the ancestry of pushed commits", () => {
  let folder: string;
  const identity = ["-c", "user.name=a", "-c", "user.email=a@a"];
  const git = (...args: string[]) =>
    execFileSync("git", [...identity, ...args], { cwd: folder, encoding: "utf8" }).trim();
  const commitOn = (parents: string[], message: string) =>
    git("commit-tree", git("write-tree"), ...parents.flatMap((parent) => ["-p", parent]), "-m", message);
  /** The pack with a commit for a repository that has the others. */
  const createPack = (newId: string, ...has: string[]) =>
    execFileSync(
      "git",
      ["pack-objects", "--revs", "--stdout", "--thin", "--delta-base-offset", "--no-reuse-delta", "-q"],
      {
        cwd: folder,
        input: [newId, ...has.map((id) => `^${id}`)].join("\n"),
        maxBuffer: 1 << 28,
      },
    );
  const proven = (pack: Uint8Array, commit: string, ...ancestors: string[]) =>
    readAncestry(createBody(Buffer.concat([Buffer.from("head"), pack]), 1_000), memory, 4, { commit, ancestors });
  let root: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "switchyard-pack-"));
    git("init", "-q");
    root = commitOn([], "root");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("is known as far as the pack contains it", async () => {
    const theirs = commitOn([root], "theirs");
    const mine = commitOn([commitOn([theirs], "first"), root], "second");
    const beside = commitOn([root], "beside");
    const merge = commitOn([beside, theirs], "merge");
    expect(await proven(createPack(mine, theirs), mine, theirs)).toBe("builds-on");
    expect(await proven(createPack(beside, theirs), beside, theirs)).toBe("does-not");
    expect(await proven(createPack(merge, theirs), merge, theirs)).toBe("builds-on");
    expect(await proven(createPack(mine, theirs), mine, beside, theirs)).toBe("builds-on");
    expect(await proven(Buffer.alloc(0), mine, mine)).toBe("builds-on");
  });

  test("is not read from other headers that look like parents", async () => {
    const theirs = commitOn([root], "theirs, which is dropped");
    const [tree, person] = [git("write-tree"), "a <a@a> 1700000000 +0000"];
    for (const disguise of [`parent ${theirs}`, `gpgsig x\nparent ${theirs}`, `encoding x\rparent ${theirs}\r`]) {
      const input = `tree ${tree}\nparent ${root}\nauthor ${person}\ncommitter ${person}\n${disguise}\n\nmine\n`;
      const mine = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], { cwd: folder, input })
        .toString()
        .trim();
      expect(git("rev-list", "--parents", "-1", mine)).toBe(`${mine} ${root}`);
      expect(await proven(createPack(mine, root), mine, theirs)).toBe("does-not");
      expect(await proven(createPack(mine, root), mine, root)).toBe("builds-on");
    }
  });

  test("is unknown outside of the pack", async () => {
    const theirs = commitOn([root], "theirs again");
    const mine = commitOn([theirs], "mine");
    const other = commitOn([root], "other");
    expect(await proven(createPack(other, root), mine, theirs)).toBe("does-not");
    for (const junk of [Buffer.alloc(0), Buffer.from("PACK"), Buffer.alloc(4_000, 0x91), Buffer.alloc(4_000, 0x6f)])
      expect(await proven(junk, mine, theirs)).toBe("unreadable");
    const cut = createPack(mine, theirs);
    expect(await proven(cut.subarray(0, 30), mine, theirs)).toBe("unreadable");
  });

  test("is read through a thousand commits that are deltas of each other, and with large files after them", async () => {
    const theirs = commitOn([root], "theirs once more");
    writeFileSync(join(folder, "large.bin"), crypto.getRandomValues(new Uint8Array(60_000)));
    git("add", "large.bin");
    const said = Array.from({ length: 200 }, (_, line) => `line ${line} of what is said`).join("\n");
    const lines = ["feature done"];
    for (let index = 1; index <= 1_000; index++) {
      const message = `${said}\nchange ${index}`;
      lines.push("commit refs/heads/many", `mark :${index}`, `committer a <a@a> ${1_700_000_000 + index} +0000`);
      lines.push(`data ${message.length}`, message, `from ${index === 1 ? theirs : `:${index - 1}`}`);
    }
    execFileSync("git", ["fast-import", "--quiet"], { cwd: folder, input: `${lines.join("\n")}\ndone\n` });
    const newest = commitOn([git("rev-parse", "refs/heads/many")], "newest");
    const pack = createPack(newest, theirs);
    expect(await proven(pack, newest, theirs)).toBe("builds-on");
    expect(await proven(pack, newest, "f".repeat(40))).toBe("does-not");
  });

  describe("in a pack that is made to cost", () => {
    /** An object of a type with the size that it says, whatever it holds. */
    const createObject = (type: number, content: Uint8Array, size = content.length, more: number[] = []) => {
      const bytes = [];
      let left = Math.floor(size / 16);
      bytes.push((type << 4) | (size & 15) | (left > 0 ? 128 : 0));
      for (; left > 0; left = Math.floor(left / 128)) bytes.push((left & 127) | (left > 127 ? 128 : 0));
      return Buffer.concat([Buffer.from([...bytes, ...more]), deflateSync(content)]);
    };
    const pack = (objects: Uint8Array[]) => {
      const head = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
      head.writeUInt32BE(objects.length, 8);
      return Buffer.concat([head, ...objects]);
    };
    const [newest, other] = ["1".repeat(40), "2".repeat(40)];
    const mebibyte = 1 << 20;
    const zeros = new Uint8Array(mebibyte);
    const distance = (value: number): number[] => [value & 127];

    test.each<[what: string, made: () => Uint8Array, cause: string]>([
      ["a commit of gigabytes", () => pack([createObject(1, zeros, 2 ** 33)]), "too-long"],
      ["commits of megabytes", () => pack(Array(64).fill(createObject(1, zeros))), "too-long"],
      [
        "more commits than are looked through",
        () => pack(Array(6_000).fill(createObject(1, new Uint8Array(0)))),
        "too-long",
      ],
      ["a commit of another size than it says", () => pack([createObject(1, zeros, 7)]), "unreadable"],
      ["an object of no type", () => pack([createObject(5, zeros)]), "unreadable"],
      ["fewer objects than it says", () => pack([createObject(1, zeros)]).fill(255, 8, 12), "unreadable"],
      [
        "deltas of megabytes that make nothing",
        () => {
          const base = createObject(1, new Uint8Array(0));
          // Their first bytes say: of nothing, nothing. What follows is never reached.
          return pack([base, ...Array(64).fill(createObject(6, zeros, mebibyte, distance(base.length)))]);
        },
        "unreadable",
      ],
      ["no commit at all", () => pack([createObject(3, zeros)]), "does-not"],
    ])("%s is refused for what it is, and holds no more than its share", async (_, made, cause) => {
      const share = createBodyMemory(3 * pushInspectionBytes);
      let most = 0;
      let taken = 0;
      const watched = {
        take: (bytes: number) => {
          if (!share.take(bytes)) return false;
          taken += bytes;
          most = Math.max(most, taken);
          return true;
        },
        give: (bytes: number) => {
          taken -= bytes;
          share.give(bytes);
        },
      };
      const body = createByteReader(new Blob([new Uint8Array(made())]).stream(), watched);
      expect(await readAncestry(body, watched, 0, { commit: newest, ancestors: [other] })).toBe(cause);
      body.drop();
      expect(most).toBeLessThanOrEqual(2 * pushInspectionBytes);
      expect(taken).toBe(0);
    });
  });
});

describe("the body of a request that is refused", () => {
  /** What the client has sent when the body is left, of so many pieces. */
  async function sendPieces(pieces: Uint8Array[], headers: Record<string, string>) {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const piece = pieces.shift();
          if (!piece) return controller.close();
          sent += piece.length;
          controller.enqueue(piece.slice());
        },
      },
      { highWaterMark: 0 },
    );
    const opened = createGitBody({ headers: new Headers(headers), body });
    const reader = opened?.bytes.getReader();
    let read = 0;
    while (read < 100) read += (await reader?.read())?.value?.length ?? 100;
    await opened?.discardRest();
    return { sent, read };
  }

  test("is read on for one mebibyte if it is compressed, and to its end if it is not", async () => {
    const random = crypto.getRandomValues(new Uint8Array(65_536));
    const pressed = new Uint8Array(gzipSync(Buffer.concat(Array(64).fill(random)), { level: 0 }));
    const pieces = Array.from({ length: 64 }, (_, at) => pressed.slice(at * 65_536, (at + 1) * 65_536));
    const gzip = await sendPieces(pieces, { "content-encoding": "gzip" });
    expect(gzip.sent).toBeLessThanOrEqual(20 * 65_536);
    expect(await sendPieces(Array(64).fill(random), {})).toMatchObject({ sent: 64 * 65_536 });
  });

  test("is not decompressed further", async () => {
    const pressed = gzipSync(Buffer.alloc(1 << 26));
    const pieces = Array.from(
      { length: 40 },
      (_, at) => new Uint8Array(pressed.subarray(at * 65_536, (at + 1) * 65_536)),
    );
    const { read } = await sendPieces(
      pieces.filter(({ length }) => length > 0),
      { "content-encoding": "gzip" },
    );
    expect(read).toBeLessThan(3 << 20);
  });
});
