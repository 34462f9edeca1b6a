// What the Worker of one machine gets of wrangler.toml.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readDeclaration } from "../../practice/worker-runtime.ts";

test("the Worker gets none of the settings and secrets of a .env, only what wrangler.toml declares", () => {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-declaration-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "wrangler.toml");
  copyFileSync(join(import.meta.dirname, "../../wrangler.toml"), file);
  writeFileSync(join(folder, ".env"), "ANTHROPIC_API_KEY=secret\nSIGN_UP=ada\n");
  const { bindings } = readDeclaration(file);
  expect(bindings).toHaveProperty("CODE_HOST_API_URL", "https://api.github.com");
  expect(bindings).not.toHaveProperty("ANTHROPIC_API_KEY");
  expect(bindings).not.toHaveProperty("SIGN_UP", "ada");
});
