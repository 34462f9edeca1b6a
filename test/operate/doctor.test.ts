// `npm run doctor` as it is called: what it gets of the environment, and what it says of settings that nobody has filled in.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { givenSecrets } from "../../operate/secrets.ts";
import { startStandIn } from "./platform-stand-in.ts";

const project = join(import.meta.dirname, "../..");

test("it gets the token, the secrets and the files of secrets, and prints none of them", async () => {
  const platform = await startStandIn();
  const folder = await mkdtemp(join(tmpdir(), "switchyard-doctor-"));
  await writeFile(join(folder, "key.pem"), "the-private-key");
  const names = Object.keys(givenSecrets).filter((name) => name !== "CODE_HOST_APP_PRIVATE_KEY");
  const child = spawn(process.execPath, ["setup.mjs", "operate/doctor.ts"], {
    cwd: project,
    env: {
      ...{ PATH: process.env.PATH, HOME: folder, CODE_HOST_APP_PRIVATE_KEY_FILE: join(folder, "key.pem") },
      ...{ CLOUDFLARE_API_TOKEN: "the-token", CLOUDFLARE_API_BASE_URL: platform.url },
      ...Object.fromEntries(names.map((name) => [name, "the-secret"])),
    },
  });
  let said = "";
  for (const output of [child.stdout, child.stderr])
    output.setEncoding("utf8").on("data", (part) => {
      said += part;
    });
  const status = await new Promise((resolve) => child.once("close", resolve));
  await Promise.all([platform.close(), rm(folder, { recursive: true })]);
  expect({ status, unknown: platform.unknown, changes: platform.changes }).toEqual({
    status: 1,
    unknown: [],
    changes: [],
  });
  expect(said).toContain("Put your own domains");
  for (const name of Object.keys(givenSecrets)) expect(said).toContain(`ok: secret ${name}`);
  expect(said).toContain("ok: the token reaches what it has to in Trains");
  expect(said).not.toMatch(/the-(token|secret|private-key)/);
}, 60_000);
