// Who may make a visitor's browser request a preview host, where the cookie is sent with
// everything: the preview's own pages, and no page elsewhere.
import { beforeAll, describe, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { createClient } from "../support/client.ts";
import { type OpenedPreview, openPreview, openProbe } from "../support/probed-preview.ts";
import { openSocket } from "../support/web-socket.ts";

const world = previewWorld();
let preview: OpenedPreview;
let neighbour: OpenedPreview;
beforeAll(async () => {
  const other = await createClient(world).createSession({ title: "Next door" });
  preview = await openProbe(world);
  neighbour = await openPreview(world, other.id);
});

type Said = () => Record<string, string>;
const own = () => `http://${preview.host}`;
const ofSandbox = () => own().replace("web--", "admin--");
const elsewhere = () => `http://${neighbour.host}`;
const sameSite = { "sec-fetch-site": "same-site" };
const crossSite = { "sec-fetch-site": "cross-site" };
const cors = { "sec-fetch-mode": "cors" };
const opens = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", accept: "text/html,*/*;q=0.8" };
const framed = { ...opens, "sec-fetch-dest": "iframe" };

/** The result of a request that the cookie opens: the service responds to it, or it is refused. */
async function outcome(method: string, said: Record<string, string>): Promise<number> {
  const answer = await preview.send({ method, path: "/probe/teapot", headers: { cookie: preview.cookie, ...said } });
  if (answer.status === 418) return 200;
  expect(answer.headers["cache-control"]).toBe("no-store");
  const isPage = method === "GET" && said.accept !== undefined;
  if (isPage) expect(answer.text).toContain("This preview needs a fresh link</h1>");
  else expect(JSON.parse(answer.text).code).toBe("PREVIEW_REFUSED");
  return answer.status;
}

describe("the requests of a page", () => {
  test.each<[string, number, Said]>([
    ["of the same host", 200, () => ({ "sec-fetch-site": "same-origin", ...cors, origin: own() })],
    ["of another frontend of the sandbox", 200, () => ({ ...sameSite, ...cors, origin: ofSandbox() })],
    ["of another sandbox", 401, () => ({ ...sameSite, ...cors, origin: elsewhere() })],
    [
      "of another sandbox, as a script",
      401,
      () => ({ ...sameSite, "sec-fetch-mode": "no-cors", referer: `${elsewhere()}/` }),
    ],
    ["of somebody who does not say", 401, () => ({ ...sameSite, "sec-fetch-mode": "no-cors" })],
    ["of a frame without an origin", 401, () => ({ ...crossSite, ...cors, origin: "null" })],
    ["of the service", 401, () => ({ ...crossSite, ...cors, origin: world.baseUrl })],
    ["of another sandbox, in a browser that says its origin alone", 401, () => ({ origin: elsewhere() })],
  ])("%s: %i", async (_, status, said) => {
    expect(await outcome("GET", said())).toBe(status);
  });

  test("and its WebSockets", async () => {
    const { host, cookie } = preview;
    expect(await openSocket(world.baseUrl, "/live", { host, cookie, origin: elsewhere() })).toBe(401);
    const socket = await openSocket(world.baseUrl, "/live", { host, cookie, origin: own() });
    if (typeof socket === "number") throw new Error(`the upgrade was answered with ${socket}`);
    socket.close();
  });
});

describe("a page in a tab may be opened from anywhere", () => {
  test.each<[string, Said]>([
    ["a link of another site", () => ({ ...crossSite, ...opens, referer: "https://mail.example/" })],
    ["a link of another sandbox", () => ({ ...sameSite, ...opens, referer: `${elsewhere()}/` })],
    ["the address bar", () => ({ "sec-fetch-site": "none", ...opens })],
  ])("%s", async (_, said) => {
    expect(await outcome("GET", said())).toBe(200);
  });
});

describe("writes come only from pages of the sandbox", () => {
  const senders: [string, number, Said][] = [
    ["a form of the host", 200, () => ({ "sec-fetch-site": "same-origin", ...opens, origin: own() })],
    ["a form of the host that keeps its origin back", 200, () => ({ "sec-fetch-site": "same-origin", origin: "null" })],
    ["a form of another frontend", 200, () => ({ ...sameSite, ...opens, origin: ofSandbox() })],
    ["a program, which is no browser", 200, () => ({})],
    ["a form of another sandbox", 401, () => ({ ...sameSite, ...opens, origin: elsewhere() })],
    ["the same, into a frame", 401, () => ({ ...sameSite, ...framed, origin: elsewhere() })],
    ["a form of another site", 401, () => ({ ...crossSite, ...opens, origin: "https://evil.example" })],
    ["a form of somebody who does not say", 401, () => ({ ...crossSite, ...opens, origin: "null" })],
    ["a form of the service", 401, () => ({ ...crossSite, ...opens, origin: world.baseUrl })],
    ["a form that somebody sends again", 401, () => ({ "sec-fetch-site": "none", ...opens, origin: elsewhere() })],
    ["a browser that says its origin alone", 401, () => ({ accept: "text/html", origin: elsewhere() })],
    ["a browser that says how alone", 401, () => ({ ...opens, origin: elsewhere() })],
    ["a script of another site", 401, () => ({ ...crossSite, ...cors, origin: "https://evil.example" })],
  ];
  const each = senders.flatMap(([who, status, said]) =>
    ["POST", "PUT", "DELETE"].map((method): [string, string, number, Said] => [method, who, status, said]),
  );
  test.each(each)("%s by %s: %i", async (method, _, status, said) => {
    expect(await outcome(method, said())).toBe(status);
  });
});

describe("a framed document needs the cookie", () => {
  test.each<[string, number, Said]>([
    ["asked for by itself", 200, () => ({ "sec-fetch-site": "same-origin" })],
    ["by another frontend", 200, () => ({ ...sameSite, referer: `${ofSandbox()}/page` })],
    ["by a page of the service", 200, () => ({ ...crossSite, referer: `${world.baseUrl}/` })],
    ["loaded again by the visitor", 200, () => ({ "sec-fetch-site": "none" })],
    ["by another sandbox", 401, () => ({ ...sameSite, referer: `${elsewhere()}/` })],
    ["by another site", 401, () => ({ ...crossSite, referer: "https://evil.example/" })],
    ["by somebody who does not say", 401, () => crossSite],
    ["by a neighbour that does not say", 401, () => sameSite],
    ["by a site named like the service", 401, () => ({ ...crossSite, referer: `${world.baseUrl}.evil.example/` })],
  ])("%s: %i", async (_, status, said) => {
    for (const place of ["iframe", "frame", "embed", "object"]) {
      expect(await outcome("GET", { ...framed, "sec-fetch-dest": place, ...said() })).toBe(status);
    }
  });

  test("with an Auth Token in the URL, a page of the host redirects it, in any frame", async () => {
    const { status, headers, text } = await preview.get(`//some/page?a=1&svc_auth=${preview.token}&b=%22`, {
      ...framed,
      ...crossSite,
    });
    expect([status, headers["content-type"], headers.location]).toEqual([200, "text/html; charset=utf-8", undefined]);
    expect(headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "same-origin" });
    expect(headers["set-cookie"]?.[0]).toContain(preview.cookie);
    expect(text).toContain('<a href="/some/page?a=1&amp;b=%22">');
    expect(text).not.toContain(preview.token);
    const refused = await preview.get(`/?svc_auth=${neighbour.token}`, { ...framed, cookie: preview.cookie });
    expect([refused.status, refused.headers["set-cookie"]]).toEqual([401, undefined]);
  });
});
