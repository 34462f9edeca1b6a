// The container engine of `npm start -- --containers`: what it says where there is none.
import { expect, test } from "vitest";
import { findEngine } from "../../dev/container-engine/engine.ts";

test.each([
  [
    { socket: "unix:///nowhere/docker.sock", client: "/nowhere/docker" },
    "No container engine answers at unix:///nowhere",
  ],
  [
    { socket: "tcp://10.0.0.1:2375", client: "docker" },
    "DOCKER_HOST has to be the socket of an engine on this machine",
  ],
])("%j is refused in one line that says what to do", async (settings, message) => {
  const refusal = await findEngine(settings);
  expect(refusal).toContain(message);
  expect(refusal).not.toContain("\n");
});
