// Signed statements: believed when the service made them for this purpose, unaltered and in time, and never without a secret.
import { describe, expect, it } from "vitest";
import { sign, verify } from "../src/signing.ts";

const now = Date.UTC(2030, 0, 1);
const value = { sandboxKey: "s0000000000000000" };

describe("a signed statement", () => {
  it("is believed until it expires", async () => {
    const text = await sign("secret", "pass", value, now + 1);
    expect(await verify("secret", "pass", text, now)).toEqual(value);
    expect(await verify("secret", "pass", text, now + 1)).toBeNull();
  });

  it("is not believed for another purpose, under another secret or altered", async () => {
    const text = await sign("secret", "pass", value, now + 1);
    expect(await verify("secret", "auth-token", text, now)).toBeNull();
    expect(await verify("another", "pass", text, now)).toBeNull();
    expect(await verify("secret", "pass", `A${text}`, now)).toBeNull();
  });

  it("is neither made nor believed where the secret is not set", async () => {
    await expect(sign("", "pass", value, now + 1)).rejects.toThrow("SIGNING_KEY");
    const text = await sign("secret", "pass", value, now + 1);
    expect(await verify("", "pass", text, now)).toBeNull();
  });
});
