import { expect, test } from "vitest";
import { rewriteRequest } from "../../src/preview/forward.ts";
import { previewGrantHeader, previewPortHeader } from "../../src/preview/request.ts";

test("a visitor's request has the port and the grant of its token, even if it sends such headers itself", () => {
  const grant = { sandboxKey: "s1", sessionId: null, linkMadeAt: null, userId: "usr_1" };
  const forged = { [previewPortHeader]: "22", [previewGrantHeader]: JSON.stringify({ ...grant, userId: "usr_2" }) };
  const url = new URL("http://web--s1.preview.localhost/");
  const { headers } = rewriteRequest(new Request(url, { headers: forged }), url, { ...grant, port: 3000 });
  expect(headers.get(previewPortHeader)).toBe("3000");
  expect(JSON.parse(headers.get(previewGrantHeader) ?? "")).toEqual(grant);
});

test("a visitor that names no encoding gets the content as it is", () => {
  const url = new URL("http://web--s1.preview.localhost/");
  const grant = { sandboxKey: "s1", sessionId: null, linkMadeAt: null, userId: "usr_1", port: 3000 };
  const askedOf = (headers: Record<string, string>) =>
    rewriteRequest(new Request(url, { headers }), url, grant).headers.get("accept-encoding");
  expect(askedOf({})).toBe("identity");
  expect(askedOf({ "accept-encoding": "gzip" })).toBe("gzip");
});
