// The driver for one machine, on the real sandbox host.
import { inject } from "vitest";
import { createHostDriver } from "../../../src/sandbox/program/host-driver.ts";
import { sandboxDriverContract } from "./contract.ts";

const { hostUrl, nowhereUrl } = inject("drivers");

sandboxDriverContract("the sandbox host", (key) => ({
  driver: createHostDriver(hostUrl, key),
  shutOut: createHostDriver(nowhereUrl, key),
  lose: async () => void (await fetch(`${hostUrl}/sandboxes/${key}`, { method: "DELETE" })),
}));
