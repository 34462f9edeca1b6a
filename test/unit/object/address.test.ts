// The addresses of objects: each is in the jurisdiction of the service, without an exception.
import { expect, it, vi } from "vitest";
import * as address from "../../../durable-objects/address.ts";

// The platform's package loads them, and none is used here.
vi.mock("cloudflare:workers", () => ({ DurableObject: Object, WorkerEntrypoint: Object }));
const ofContainers = await import("../../../durable-objects/sandbox/address.ts");

/** Names that suit every address. */
const name = {
  ...{ id: "1", type: "session", sandboxKey: "s0", generation: 1, repository: "ada/trains", repositoryId: 7 },
  ...{ teamId: "team", keyId: "key" },
};
const openers = Object.entries({ ...address, ...ofContainers }).filter(([opener]) =>
  /^get\w+(Object|Container)$/.test(opener),
);

/** Bindings that record which namespace was asked. */
function bindings(JURISDICTION: string, asked: string[]) {
  const namespace = (within: string) => ({
    getByName() {
      asked.push(within);
      return {};
    },
    // The package's own way.
    idFromName: (named: string) => named,
    get() {
      asked.push(within);
      return {};
    },
    jurisdiction: (named: string) => namespace(named),
  });
  return new Proxy({}, { get: (_, binding) => (binding === "JURISDICTION" ? JURISDICTION : namespace("anywhere")) });
}

it.each(["eu", "us", ""])("with %j, every object is there", (jurisdiction) => {
  for (const [, open] of openers) {
    const asked: string[] = [];
    (open as (env: object, named: unknown) => void)(bindings(jurisdiction, asked), name);
    expect(asked).toEqual([jurisdiction || "anywhere"]);
  }
  expect(openers).toHaveLength(16);
});
