import { describe, expect, test } from "vitest";
import {
  getSharedArtifactUrl,
  isUnderPreviewDomain,
  parsePreviewHost,
  parseSharedArtifactUrl,
} from "../../../src/preview/host/address.ts";
import { deleteToken } from "../../../src/preview/host/forward.ts";
import { findCorsOrigin, isAllowedOrigin } from "../../../src/preview/host/origin.ts";

const env = { PUBLIC_URL: "https://switchyard.example", PREVIEW_DOMAIN: "previews.example:8443" };
const key = "s0123456789abcdef";
const host = { hostLabel: "web", sandboxKey: key };
const at = (origin: string) => new Request("https://web", { headers: { origin, "sec-fetch-site": "same-site" } });

describe("a host", () => {
  test.each([
    ["previews.example:8443", true],
    [`web--${key}.previews.example:8443`, true],
    ["previews.example.:8443", true],
    [`web--${key}.previews.example.:8443`, true],
    ["previews.example..:8443", true],
    [`web--${key}.previews.example..:8443`, true],
    [`web--${key}.previews.example....:8443`, true],
    [`web--${key}..previews.example:8443`, true],
    ["notpreviews.example:8443", false],
    ["previews.example.com:8443", false],
    ["switchyard.example", false],
    ["switchyard.example..", false],
  ])("%s is under the preview domain: %s", (name, isUnder) => {
    expect(isUnderPreviewDomain(name, env.PREVIEW_DOMAIN)).toBe(isUnder);
  });

  test("that is followed by dots is not a preview, so that it gets no cookie", () => {
    expect(parsePreviewHost(`web--${key}.previews.example:8443`, env.PREVIEW_DOMAIN)).toEqual(host);
    expect(parsePreviewHost(`web--${key}.previews.example.:8443`, env.PREVIEW_DOMAIN)).toBeNull();
    expect(parsePreviewHost(`web--${key}.previews.example..:8443`, env.PREVIEW_DOMAIN)).toBeNull();
  });
});

describe("a page of another frontend", () => {
  test.each([
    [`https://admin--${key}.previews.example:8443`, true],
    [`http://admin--${key}.previews.example:8443`, false],
    ["https://admin--s0000000000000000.previews.example:8443", false],
    ["null", false],
  ])("%s is allowed: %s", (origin, isLetIn) => {
    expect(findCorsOrigin(at(origin), host, env)).toBe(isLetIn ? origin : null);
    expect(isAllowedOrigin(at(origin), host, env)).toBe(isLetIn);
  });

  test.each(["http", "https"])("on %s is allowed where the service itself is on http", (scheme) => {
    const origin = `${scheme}://admin--${key}.previews.example:8443`;
    const plain = { ...env, PUBLIC_URL: "http://localhost:8443" };
    expect(findCorsOrigin(at(origin), host, plain)).toBe(origin);
    expect(isAllowedOrigin(at(origin), host, plain)).toBe(true);
  });
});

describe("the query that a service sees", () => {
  test.each([
    ["?svc_auth=t", ""],
    ["?a=1&svc_auth=t&import", "a=1&import"],
    ["?%73vc_auth=t&b=", "b="],
    ["?svc%5fauth=t", ""],
    ["?svc_auth", ""],
    ["?svc_auths=1&%E0%A4%A=2", "svc_auths=1&%E0%A4%A=2"],
  ])("of %s is %s", (search, forwarded) => {
    expect(deleteToken(search)).toBe(forwarded);
  });
});

test("a shared artifact has a URL on a separate host", () => {
  const url = new URL(getSharedArtifactUrl(env, "a b", "c/d"));
  expect(url.href).toBe("https://artifacts.previews.example:8443/shared/a%20b/artifacts/c%2Fd");
  const plain = new URL(getSharedArtifactUrl(env, "slug", "id"));
  expect(parseSharedArtifactUrl(plain, env)).toEqual({ slug: "slug", artifactId: "id" });
  expect(parseSharedArtifactUrl(new URL(plain.href.replace("artifacts.", "other.")), env)).toBeNull();
});
