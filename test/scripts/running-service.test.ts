// What is running at a taken port, and the browser that opens it.
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openInBrowser } from "../../scripts/browser.ts";
import { findSwitchyard } from "../../scripts/running-service.ts";
import { unreachableUrl } from "../support/unreachable.ts";
import { until } from "../support/until.ts";

test.each([
  ["the service", '{"info":{"title":"Switchyard"}}', true],
  ["another service", '{"info":{"title":"Letterbox"}}', false],
  ["a page", "<h1>Switchyard</h1>", false],
  ["null", "null", false],
])("%s at a port is recognized", async (_, answer, isOurs) => {
  const server = createServer((_request, response) => response.end(answer));
  await new Promise<void>((listening) => server.listen(0, "localhost", listening));
  const { port } = server.address() as AddressInfo;
  expect(await findSwitchyard(port)).toBe(isOurs ? `http://localhost:${port}` : null);
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

test("a port without anybody is nobody's", async () => {
  expect(await findSwitchyard(Number(new URL(unreachableUrl).port))).toBeNull();
});

test.runIf(process.platform === "linux")(
  "the browser is opened by the program of the machine, where it has one",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "browser-"));
    const machine = { path: folder, platform: "linux" as const };
    expect(openInBrowser("http://localhost:1", machine)).toContain("Open http://localhost:1 yourself.");
    await writeFile(join(folder, "xdg-open"), `#!/bin/sh\necho "$1" > '${folder}/opened'\n`);
    await chmod(join(folder, "xdg-open"), 0o755);
    expect(openInBrowser("http://localhost:1", machine)).toBeNull();
    // The shell makes the file before it writes to it.
    const opened = async () => (await readFile(join(folder, "opened"), "utf8").catch(() => "")) || null;
    expect(await until("the address to be opened", opened)).toBe("http://localhost:1\n");
    await rm(folder, { recursive: true });
  },
);
