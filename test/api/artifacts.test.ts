// Artifacts: an agent writes them in a turn, and the workspace and public links list and read them,
// also after the end of the session. They are deleted with the session.
import { randomUUID } from "node:crypto";
import { AwsClient } from "aws4fetch";
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { exchange } from "../support/http-exchange.ts";
import { createInside } from "../support/world-inside.ts";
import { readSecrets } from "../support/world-secrets.ts";

const world = apiWorld();
const owner = createClient(world);
const inside = createInside(world);
const share = (sessionId: string) => `/api/projects/${world.projectId}/preview/share?sessionId=${sessionId}`;

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const report = { slug: "report", title: "The report", kind: "markdown", content: "# Größe\n\n🚀" };
const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

let session: { id: string; path: string };
let artifacts: Record<string, { id: string }>;

const readList = async (path: string) => (await owner.get(`${path}/artifacts`)).body.data.artifacts;
const bySlug = (rows: { slug: string; id: string }[]) => Object.fromEntries(rows.map((row) => [row.slug, row]));
const read = (slug: string) => owner.get(`${session.path}/artifacts/${artifacts[slug]?.id}`);
const listBodies = (sessionId: string) => inside.storedKeys(`sessions/${sessionId}/artifacts/`);

beforeAll(async () => {
  session = await owner.createSession({ title: "Artifacts" });
  const job = await owner.run(
    session.path,
    {
      bash: `printf ${png} | base64 -d > dot.png; (printf '\\0\\0\\0 ftypisom'; head -c 8999988 /dev/zero | tr '\\0' v) > clip.mp4`,
    },
    { write: { path: "drawing.svg", content: drawing } },
    { artifact: report },
    { artifact: { slug: "mockup", title: "Mockup", kind: "html", content: "<!doctype html><p>Hello</p>" } },
    { artifact: { slug: "dot", title: "Dot", kind: "image", path: "dot.png" } },
    { artifact: { slug: "clip", title: "Clip", kind: "video", path: "clip.mp4" } },
    { artifact: { slug: "drawing", title: "Drawing", kind: "image", path: "drawing.svg" } },
    { say: "done" },
  );
  expect(job.status).toBe("completed");
  artifacts = bySlug(await readList(session.path));
});

describe("an artifact of a turn", () => {
  test("is listed without content, the most recently changed first", async () => {
    const { status, body } = await owner.get(`${session.path}/artifacts`);
    expect(status).toBe(200);
    const { slug, ...row } = body.data.artifacts.at(-1);
    expect(slug).toBe("report");
    expect(row).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      title: "The report",
      kind: "markdown",
      version: 1,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: row.createdAt,
    });
    const slugs = body.data.artifacts.map((one: { slug: string }) => one.slug);
    expect(slugs).toEqual(["drawing", "clip", "dot", "mockup", "report"]);
  });

  test("is a block of the transcript", async () => {
    const [message] = (await owner.messages(session.path)).filter(({ role }: { role: string }) => role === "assistant");
    const blocks = message.blocks.filter(({ type }: { type: string }) => type === "artifact");
    expect(blocks[0]).toEqual({
      type: "artifact",
      artifactId: artifacts.report?.id,
      slug: "report",
      title: "The report",
      kind: "markdown",
      version: 1,
    });
    expect(blocks).toHaveLength(5);
  });

  test("can be read by any member of the workspace, a document as text", async () => {
    const { status, body } = await createClient(world, "member").get(
      `${session.path}/artifacts/${artifacts.report?.id}`,
    );
    expect([status, body.data]).toEqual([
      200,
      {
        ...artifacts.report,
        ...{ body: report.content, url: null, mediaType: null, byteSize: null },
        viewUrl: expect.stringMatching(/^http:\/\/artifacts\.preview\.localhost(:\d+)?\/view\/\S+$/),
        viewUrlExpiresAt: expect.any(String),
      },
    ]);
  });

  test.each([
    ["mockup", "<!doctype html><p>Hello</p>", "sandbox allow-scripts"],
    ["report", "Größe", "sandbox allow-popups allow-popups-to-escape-sandbox"],
    ["dot", "<img", "sandbox allow-popups allow-popups-to-escape-sandbox"],
    ["clip", "<video", "sandbox allow-popups allow-popups-to-escape-sandbox"],
  ])("is shown in a frame of only the service for 15 minutes: %s", async (slug, content, sandbox) => {
    const { viewUrl, viewUrlExpiresAt } = (await read(slug)).body.data;
    const restMs = Date.parse(viewUrlExpiresAt) - Date.now();
    expect(restMs > 0 && restMs <= 15 * 60_000).toBe(true);
    const { host, pathname: path } = new URL(viewUrl);
    const { status, text, headers } = await exchange(world.baseUrl, { path, headers: { host } });
    expect([status, text.includes(content)]).toEqual([200, true]);
    const policy = String(headers["content-security-policy"]).split(/; ?/);
    expect(policy).toEqual(expect.arrayContaining([`frame-ancestors ${new URL(world.baseUrl).origin}`, sandbox]));
    expect([headers["set-cookie"], headers["cache-control"]]).toEqual([undefined, "no-store"]);
    const [, token = ""] = /\/view\/(.+)$/.exec(path) ?? [];
    const [id, body = "", signature] = token.split(".");
    const another = [id, body.slice(0, -2), signature].join(".");
    for (const [at, on] of [
      [`/view/${another}`, host],
      ["/view/x", host],
      [path, new URL(world.baseUrl).host],
      [path, `web--s0123456789abcdef.${host.slice("artifacts.".length)}`],
    ] as const)
      expect((await exchange(world.baseUrl, { path: at, headers: { host: on } })).status).toBeGreaterThan(400);
  });

  test("is not found through another session or by an unknown or invalid id", async () => {
    const other = await owner.createSession({ title: "Another" });
    for (const path of [
      `${other.path}/artifacts/${artifacts.report?.id}`,
      `${session.path}/artifacts/${randomUUID()}`,
      `${session.path}/artifacts/report`,
    ]) {
      const { status, body } = await owner.get(path);
      expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
    }
    expect(await readList(other.path)).toEqual([]);
  });

  test("that breaks the rules is refused to the agent and not stored", async () => {
    const { id, path } = await owner.createSession({ title: "Refused" });
    await owner.run(
      path,
      { artifact: { ...report, slug: "no slug" } },
      { artifact: { ...report, kind: "pdf" } },
      { artifact: { slug: "a", title: "A", kind: "image", path: "README.md" } },
      { artifact: { slug: "a", title: "A", kind: "image", path: "missing.png" } },
      { artifact: { slug: "a", title: "A", kind: "video", content: "text" } },
      { say: "done" },
    );
    const blocks = (await owner.messages(path)).at(-1).blocks.filter(({ type }: { type: string }) => type === "tool");
    expect(blocks.map(({ status }: { status: string }) => status)).toEqual(Array(5).fill("failed"));
    expect(await readList(path)).toEqual([]);
    expect(await listBodies(id)).toEqual([]);
  });
});

describe("the URL of an image or a video", () => {
  test.each([
    ["dot", "image/png", 70, 'inline; filename="dot.png"'],
    ["clip", "video/mp4", 9_000_000, 'inline; filename="clip.mp4"'],
    ["drawing", "image/svg+xml", drawing.length, 'attachment; filename="drawing.svg"'],
  ])("of %s returns its bytes to anybody, and no cache stores them", async (slug, mediaType, byteSize, disposition) => {
    const { body } = await read(slug);
    expect(body.data).toMatchObject({ body: null, mediaType, byteSize });
    const answer = await fetch(body.data.url);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, mediaType]);
    expect(answer.headers.get("content-disposition")).toBe(disposition);
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    const bytes = Buffer.from(await answer.arrayBuffer());
    const expected =
      {
        dot: Buffer.from(png, "base64"),
        clip: Buffer.concat([Buffer.from("\0\0\0 ftypisom"), Buffer.alloc(8_999_988, "v")]),
      }[slug] ?? Buffer.from(drawing);
    expect(bytes.equals(expected)).toBe(true);
  });

  test("supports range requests, as players send them", async () => {
    const { url } = (await read("dot")).body.data;
    const answer = await fetch(url, { headers: { range: "bytes=1-3" } });
    expect([answer.status, answer.headers.get("content-range")]).toEqual([206, "bytes 1-3/70"]);
    expect(await answer.text()).toBe("PNG");
  });

  test("is valid for 24 hours", async () => {
    expect(new URL((await read("dot")).body.data.url).searchParams.get("X-Amz-Expires")).toBe("86400");
  });

  test("grants nothing if it is altered, expired or signed with another key", async () => {
    const { url } = (await read("dot")).body.data;
    const forged = new URL(url);
    forged.searchParams.set("X-Amz-Expires", "604800");
    const other = url.replace(/artifacts\/[^?]+/, "artifacts/another");
    const plain = url.replace(/\?.*/, "");
    const signed = async (secretAccessKey: string, datetime?: string) => {
      const client = new AwsClient({ ...readSecrets(world).s3, secretAccessKey, service: "s3", region: "auto" });
      const aws = { signQuery: true, ...(datetime ? { datetime } : {}) };
      return (await client.sign(`${plain}?X-Amz-Expires=86400`, { aws })).url;
    };
    const { secretAccessKey } = readSecrets(world).s3;
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000).toISOString().replace(/[:-]|\.\d+/g, "");
    expect((await fetch(await signed(secretAccessKey))).status).toBe(200);
    for (const bad of [forged, other, await signed("guessed"), await signed(secretAccessKey, twoDaysAgo)])
      expect((await fetch(bad)).status, String(bad)).toBe(403);
    expect((await fetch(plain)).ok).toBe(false);
    expect((await fetch(url, { method: "DELETE" })).status).toBe(403);
    expect((await fetch(url)).status).toBe(200);
  });
});

describe("a slug that is written again", () => {
  test("in another turn makes the next version of the artifact, and the old body is deleted", async () => {
    const { id, path } = await owner.createSession({ title: "Versions" });
    await owner.run(path, { artifact: report }, { say: "done" });
    const [first] = await readList(path);
    const bodies = await listBodies(id);
    await owner.run(path, { artifact: { ...report, title: "Second", content: "two" } }, { say: "done" });
    const [second, ...more] = await readList(path);
    expect(more).toEqual([]);
    expect(second).toMatchObject({ id: first.id, createdAt: first.createdAt, title: "Second", version: 2 });
    expect(second.updatedAt > first.updatedAt).toBe(true);
    expect((await owner.get(`${path}/artifacts/${first.id}`)).body.data.body).toBe("two");
    const left = await listBodies(id);
    expect(left).toHaveLength(1);
    expect(left).not.toEqual(bodies);
    expect(await inside.sql("SELECT key FROM objects_in_doubt WHERE key LIKE ?1", `sessions/${id}/%`)).toEqual([]);
  });

  test("may change its kind, gets the version that its page declares, and counts on from there", async () => {
    const { path } = await owner.createSession({ title: "Declared" });
    const page = (version: string) => `<meta name="artifact-version" content="${version}"><p>Report</p>`;
    const write = (content: string, kind = "html") => ({ artifact: { ...report, kind, content } });
    await owner.run(path, write("# One", "markdown"), write(page("7")), write("<p>next</p>"), write(page("3")), {
      say: "done",
    });
    const blocks = (await owner.messages(path)).at(-1).blocks;
    expect(blocks.map(({ version }: { version?: number }) => version)).toEqual([1, 7, 8, 3, undefined]);
    expect(await readList(path)).toMatchObject([{ slug: "report", kind: "html", version: 3 }]);
  });

  test("becomes the most recently changed artifact", async () => {
    const { path } = await owner.createSession({ title: "Order" });
    const write = (slug: string) => ({ artifact: { ...report, slug } });
    await owner.run(path, write("a"), write("b"), write("a"), { say: "done" });
    expect((await readList(path)).map(({ slug }: { slug: string }) => slug)).toEqual(["a", "b"]);
  });
});

test("artifacts stay readable after the end of the session, and reading them wakes no sandbox", async () => {
  const { id, path } = await owner.createSession({ title: "Ended" });
  await owner.run(path, { artifact: report }, { say: "done" });
  await owner.put(path, { status: "completed" });
  const slots = () => inside.sql("SELECT state FROM sandbox_slots WHERE owner_id = ?1", id);
  await expect.poll(slots, { timeout: 60_000 }).toEqual([]);
  const [row] = await readList(path);
  expect((await owner.get(`${path}/artifacts/${row.id}`)).body.data.body).toBe(report.content);
  expect(await slots()).toEqual([]);
});

describe("through a public link", () => {
  const visit = async (path: string) => {
    const { status, text, headers } = await exchange(world.baseUrl, { path: `/api/shared-previews/${path}` });
    expect(headers["cache-control"]).toBe("no-store");
    return { status, body: JSON.parse(text) };
  };

  test("the session's artifacts are listed and read in any preview status; those of other sessions are not found", async () => {
    const { id, path } = await owner.createSession({ title: "Shared" });
    await owner.run(path, { artifact: report }, { say: "done" });
    const { slug } = (await owner.post(share(id))).body.data.share;
    const [row] = await readList(path);
    for (const status of ["active", "completed"]) {
      await owner.put(path, { status });
      expect((await visit(`${slug}?wake=false`)).body.data.artifacts).toEqual([row]);
      const seen = await visit(`${slug}/artifacts/${row.id}`);
      const own = (await owner.get(`${path}/artifacts/${row.id}`)).body.data;
      expect(seen.body.data).toEqual({ ...own, viewUrl: null, viewUrlExpiresAt: null });
    }
    for (const other of [artifacts.report?.id, randomUUID(), "report"])
      expect((await visit(`${slug}/artifacts/${other}`)).status).toBe(404);
  });

  test("a main preview has no artifacts", async () => {
    const main = `/api/projects/${world.projectId}/preview/share`;
    const { slug } = (await owner.post(main)).body.data.share;
    expect((await visit(`${slug}?wake=false`)).body.data.artifacts).toEqual([]);
    expect((await visit(`${slug}/artifacts/${artifacts.report?.id}`)).status).toBe(404);
    await owner.delete(main);
  });

  test("nothing is found after the link is revoked or the session is deleted", async () => {
    const { id, path } = await owner.createSession({ title: "Short-lived" });
    await owner.run(
      path,
      { artifact: report },
      { bash: `printf ${png} | base64 -d > dot.png` },
      { artifact: { slug: "dot", title: "Dot", kind: "image", path: "dot.png" } },
      { say: "done" },
    );
    const [dot, { id: reportId }] = await readList(path);
    const { url } = (await owner.get(`${path}/artifacts/${dot.id}`)).body.data;
    const make = async () => (await owner.post(share(id))).body.data.share.slug;
    const statuses = async (slug: string) => [
      (await visit(`${slug}?wake=false`)).status,
      (await visit(`${slug}/artifacts/${reportId}`)).status,
    ];
    const revoked = await make();
    expect(await statuses(revoked)).toEqual([200, 200]);
    await owner.delete(share(id));
    expect(await statuses(revoked)).toEqual([404, 404]);

    const slug = await make();
    expect(await statuses(slug)).toEqual([200, 200]);
    expect((await fetch(url)).status).toBe(200);
    expect((await owner.delete(path)).status).toBe(204);
    expect(await statuses(slug)).toEqual([404, 404]);
    expect(await inside.sql("SELECT id FROM artifacts WHERE session_id = ?1", id)).toEqual([]);
    await expect.poll(() => listBodies(id)).toEqual([]);
    expect((await fetch(url)).status).toBe(404);
    expect((await owner.get(`${path}/artifacts/${reportId}`)).status).toBe(404);
  });
});

test("an agent finds the session's artifacts at the URL in its instructions", async () => {
  const { path } = await owner.createSession({ title: "Own" });
  const curl = `curl -s -H "Authorization: Bearer $SWITCHYARD_API_TOKEN" "$SWITCHYARD_API_URL${path}/artifacts" | grep -o '"slug":"report"'`;
  const { id } = await owner.run(path, { artifact: report }, { bash: curl }, { say: "done" });
  const blocks = await owner.listBlocks(path, id);
  expect(blocks[1]).toMatchObject({ type: "tool", status: "completed", output: '"slug":"report"\n' });
});
