// A service without the program of the command line says how to get it.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { sendInstallScript, sendProgram } from "../../../src/cli/cli-route.ts";
import { programKey } from "../../../src/cli/program-key.ts";
import type { Env } from "../../../src/env.ts";

const service = { ...env, PUBLIC_URL: "https://switchyard.test" } as unknown as Env;

test("the script and the program are there once the program is stored", async () => {
  await env.STORE.delete(programKey);
  for (const answer of [await sendInstallScript(service), await sendProgram(service)]) {
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("Build it from the source");
  }
  await env.STORE.put(programKey, "the program");
  expect(await (await sendInstallScript(service)).text()).toContain("https://switchyard.test/cli/sy.js");
  expect(await (await sendProgram(service)).text()).toBe("the program");
});
