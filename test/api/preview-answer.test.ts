// The response of a service as the visitor of its preview receives it.
import { once } from "node:events";
import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { type OpenedPreview, openProbe } from "../support/probed-preview.ts";
import { openSocket } from "../support/web-socket.ts";

const world = previewWorld();
let preview: OpenedPreview;
beforeAll(async () => {
  preview = await openProbe(world);
});

const inside = () => ({ cookie: preview.cookie });
const get = (path: string, headers: Record<string, string> = {}) => preview.get(path, headers);

describe("the visitor gets the service's response", () => {
  test("status and headers", async () => {
    const { status, headers, text } = await get("/probe/teapot", inside());
    expect([status, headers["x-own"], text]).toEqual([418, "kept", "short and stout"]);
  });

  test("a redirect, which is not followed", async () => {
    const { status, headers } = await get("/probe/redirect", inside());
    expect([status, headers.location]).toEqual([307, "/probe/echo?moved"]);
  });

  test("a redirect to the service's own port, changed to the preview host", async () => {
    for (const path of ["/probe/own-port", "/probe/own-port-alone"]) {
      const { status, headers } = await get(path, inside());
      expect([status, headers.location]).toEqual([302, "/probe/echo?moved#there"]);
    }
    expect((await get("/probe/elsewhere", inside())).headers.location).toBe("https://example.com/away");
  });

  test("no cookie for other previews or with the name of the preview's own cookie", async () => {
    const { headers } = await get("/probe/tossed", inside());
    expect(headers["set-cookie"]).toEqual(["wide=1; Path=/; HttpOnly", "own=1; Path=/"]);
  });

  test("a Clear-Site-Data header without effect on other previews", async () => {
    const cleared = async (path: string) => (await get(path, inside())).headers["clear-site-data"];
    expect(await cleared("/probe/kept")).toBe('"storage"');
    expect(await cleared("/probe/left")).toBeUndefined();
    expect(await cleared("/probe/cleared")).toBe('"cache", "storage", "executionContexts"');
  });

  test("with a request id, unless the service sets one", async () => {
    expect((await get("/probe/teapot", inside())).headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect((await get("/probe/kept", inside())).headers["x-request-id"]).toBe("its own");
  });

  test("a retry page if the service dropped the connection without a response", async () => {
    const accept = "text/html,*/*;q=0.8";
    const page = await get("/probe/dropped", { ...inside(), accept });
    expect([page.status, page.headers.refresh, page.headers["cache-control"]]).toEqual([502, "4", "no-store"]);
    expect(page.text).toContain("Nothing answers here yet</h1>");
    for (const method of ["GET", "POST"]) {
      const told = await preview.send({ method, path: "/probe/dropped", headers: inside() });
      expect([told.status, JSON.parse(told.text), told.headers["cache-control"]]).toEqual([
        502,
        { error: expect.stringContaining("Nothing answers here yet"), code: "PREVIEW_SILENT" },
        "no-store",
      ]);
    }
    const { host } = preview;
    expect(await openSocket(world.baseUrl, "/probe/dropped", { host, ...inside() })).toBe(502);
    expect((await get("/probe/teapot", inside())).status).toBe(418);
  });

  test.each([103, 600, 999])("as not answering if its status is invalid: %i", async (status) => {
    const told = await get(`/probe/status?is=${status}&body=odd`, inside());
    expect([told.status, JSON.parse(told.text).code]).toEqual([502, "PREVIEW_SILENT"]);
  });

  test("also with an unusual status or a status without a body", async () => {
    for (const is of [205, 207, 299, 451, 599]) expect((await get(`/probe/status?is=${is}`, inside())).status).toBe(is);
    expect((await get("/probe/status?is=205&body=odd", inside())).status).toBe(205);
  });

  test("without storage in caches, because access can be revoked, and with permission for the share page's frame", async () => {
    const { headers } = await get("/probe/shared", inside());
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(headers["content-security-policy"]).toBe("default-src 'self'");
    expect(Object.keys(headers).filter((name) => /cdn|frame-options/.test(name))).toEqual([]);
    expect((await get("/", inside())).headers["cache-control"]).toBe("private, no-cache");
    expect((await get("/probe/teapot", inside())).headers["cache-control"]).toBe("private, no-cache");
    const kept = await get("/probe/kept", inside());
    expect([kept.headers["cache-control"], kept.headers.expires]).toEqual(["private, no-cache", undefined]);
    expect((await get("/probe/left", inside())).headers["cache-control"]).toBe("no-store");
  });

  test("partial, not modified and empty responses", async () => {
    const part = await get("/probe/file", { ...inside(), range: "bytes=10-19" });
    expect([part.status, part.headers["content-range"], part.text]).toEqual([206, "bytes 10-19/10000", "0123456789"]);
    const known = await get("/probe/file", { ...inside(), "if-none-match": '"one"' });
    expect([known.status, known.headers.etag, known.text]).toEqual([304, '"one"', ""]);
    const head = await preview.send({ method: "HEAD", path: "/probe/file", headers: inside() });
    expect([head.status, head.headers["content-length"], head.text]).toEqual([200, "10000", ""]);
    const empty = await get("/probe/empty", inside());
    expect([empty.status, empty.text]).toEqual([204, ""]);
  });

  test("a large body whole", async () => {
    const { bytes } = await get("/probe/large?pieces=40", inside());
    expect([bytes.length, bytes.every((byte) => byte === 7)]).toEqual([40 * 1_024 * 1_024, true]);
  });

  test("while the request body is still being sent", async () => {
    const { port } = new URL(world.baseUrl);
    const sent = request({
      host: "127.0.0.1",
      port,
      method: "POST",
      path: "/probe/upload",
      headers: { host: preview.host, ...inside() },
    });
    sent.write("0123456789");
    const [answer] = await once(sent, "response");
    const [first] = await once(answer, "data");
    expect(String(first)).toBe("first;");
    sent.end("0123456789");
    expect(String(Buffer.concat(await answer.toArray()))).toBe("20");
  });

  test("several cookies, in addition to the preview's own", async () => {
    const { headers } = await get(`/probe/cookies?svc_auth=${preview.token}`);
    expect(headers["set-cookie"]?.slice(0, 2)).toEqual(["one=1; Path=/", "two=2; Path=/"]);
    expect(headers["set-cookie"]).toHaveLength(3);
  });

  test("a compressed body, compressed or decompressed as the headers say", async () => {
    const { headers, bytes } = await get("/probe/gzip", { ...inside(), "accept-encoding": "gzip" });
    expect(String(headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes)).toBe("unpacked");
  });

  test("binary bytes", async () => {
    expect([...(await get("/probe/bytes", inside())).bytes]).toEqual([0, 255, 128, 10, 13]);
  });

  test("a stream in chunks, before it ends", async () => {
    const answer = await preview.answerTo({ path: "/probe/stream", headers: inside() });
    const [piece] = await once(answer, "data");
    expect(String(piece)).toBe("data: first\n\n");
    answer.destroy();
  });

  test("a response to HEAD without a body", async () => {
    const { status, text } = await preview.send({ method: "HEAD", path: "/", headers: inside() });
    expect([status, text]).toEqual([200, ""]);
  });

  test("no API route: its paths belong to the service here", async () => {
    const { status, text } = await get("/api/meta", inside());
    expect([status, JSON.parse(text)]).toEqual([404, { error: "Nothing is here." }]);
  });
});
