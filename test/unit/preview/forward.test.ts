import { expect, test } from "vitest";
import { readCredential } from "../../../src/key/credential.ts";
import { previewGrantHeader, previewPortHeader, rewriteRequest } from "../../../src/preview/host/forward.ts";

test("a visitor's request has the port and the grant of its token, even if it sends such headers itself", () => {
  const grant = { sandboxKey: "s1", sessionId: null, linkMadeAt: null, userId: "usr_1", keyId: "key_1" };
  const forged = { [previewPortHeader]: "22", [previewGrantHeader]: JSON.stringify({ ...grant, userId: "usr_2" }) };
  const url = new URL("http://web--s1.preview.localhost/");
  const { headers } = rewriteRequest(new Request(url, { headers: forged }), url, { ...grant, port: 3000 });
  expect(headers.get(previewPortHeader)).toBe("3000");
  expect(JSON.parse(headers.get(previewGrantHeader) ?? "")).toEqual(grant);
});

test("a visitor that names no encoding gets the content as it is", () => {
  const url = new URL("http://web--s1.preview.localhost/");
  const grant = { sandboxKey: "s1", sessionId: null, linkMadeAt: null, userId: "usr_1", keyId: null, port: 3000 };
  const getAcceptHeader = (headers: Record<string, string>) =>
    rewriteRequest(new Request(url, { headers }), url, grant).headers.get("accept-encoding");
  expect(getAcceptHeader({})).toBe("identity");
  expect(getAcceptHeader({ "accept-encoding": "gzip" })).toBe("gzip");
});

const token = `svc_key_${"a".repeat(43)}`;

test.each([
  `Bearer ${token}`,
  `bearer  ${token}`,
  `BEARER \t ${token}`,
  `Bearer\t${token}`,
  ` Bearer ${token} `,
  `Bearer svc_agt_${"b".repeat(43)}`,
  `Bearer app-token, Bearer ${token}`,
  `Basic ${btoa(`anyone:${token}`)}`,
  `basic  ${btoa(`anyone:${token}`)}`,
  token,
])("the credential of the service in %j never reaches a previewed service", (authorization) => {
  expect(forwarded(authorization)).toBeNull();
});

test.each(["Bearer app-token", "bearer  app-token", "Basic YTpi", "Basic %%%", "Digest username=a"])(
  "the credential %j is the previewed service's own",
  (authorization) => {
    expect(forwarded(authorization)).toBe(authorization);
  },
);

test.each([`Bearer ${token}`, `bearer  ${token}`, `BEARER\t${token}`])(
  "what the API reads as a credential, here %j, is deleted",
  (authorization) => {
    const asked = new Request("https://switchyard.example/api", { headers: { authorization } });
    expect(readCredential(asked, "https://switchyard.example")).toBe(token);
    expect(forwarded(authorization)).toBeNull();
  },
);

/** The `Authorization` header that a previewed service receives. */
function forwarded(authorization: string): string | null {
  const url = new URL("http://web--s1.preview.localhost/");
  const grant = { sandboxKey: "s1", sessionId: null, linkMadeAt: null, userId: "usr_1", keyId: null, port: 3000 };
  return rewriteRequest(new Request(url, { headers: { authorization } }), url, grant).headers.get("authorization");
}
