// Signed statements: accepted if the service made them for this purpose, unaltered and in time, and
// never without a secret.
import { describe, expect, it } from "vitest";
import { sign, verify } from "../../../src/lib/signing.ts";

const now = Date.UTC(2030, 0, 1);
const value = { sandboxKey: "s0000000000000000" };
const keys = { SIGNING_KEY: "secret" };

describe("a signed value", () => {
  it("is valid until it expires", async () => {
    const text = await sign(keys, "pass", value, now + 1);
    expect(await verify(keys, "pass", text, now)).toEqual(value);
    expect(await verify(keys, "pass", text, now + 1)).toBeNull();
  });

  it("is not valid for another purpose, with another secret or after a change", async () => {
    const text = await sign(keys, "pass", value, now + 1);
    const [id = "", body = "", signature = ""] = text.split(".");
    expect(await verify(keys, "auth-token", text, now)).toBeNull();
    expect(await verify({ SIGNING_KEY: "another" }, "pass", text, now)).toBeNull();
    expect(await verify(keys, "pass", `${body}.${signature}`, now)).toBeNull();
    for (const altered of [`A${text}`, `${id}.A${body}.${signature}`, `${text}.`, `.${body}.${signature}`]) {
      expect(await verify(keys, "pass", altered, now)).toBeNull();
    }
  });

  it("can be neither signed nor verified without a secret", async () => {
    await expect(sign({ SIGNING_KEY: "" }, "pass", value, now + 1)).rejects.toThrow("SIGNING_KEY");
    const text = await sign(keys, "pass", value, now + 1);
    expect(await verify({ SIGNING_KEY: "" }, "pass", text, now)).toBeNull();
  });
});

describe("during a change of keys", () => {
  const both = { SIGNING_KEY: "next", SIGNING_KEY_PREVIOUS: "secret" };

  it("both keys are accepted, and the new one signs", async () => {
    const before = await sign(keys, "pass", value, now + 1);
    const after = await sign(both, "pass", value, now + 1);
    expect(await verify(both, "pass", before, now)).toEqual(value);
    expect(await verify(both, "pass", after, now)).toEqual(value);
    expect(await verify({ SIGNING_KEY: "next" }, "pass", after, now)).toEqual(value);
  });

  it("a deleted key is no longer accepted", async () => {
    const before = await sign(keys, "pass", value, now + 1);
    expect(await verify({ SIGNING_KEY: "next" }, "pass", before, now)).toBeNull();
    expect(await verify({ SIGNING_KEY: "third", SIGNING_KEY_PREVIOUS: "next" }, "pass", before, now)).toBeNull();
  });
});
