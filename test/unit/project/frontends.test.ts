import { describe, expect, it } from "vitest";
import { listFrontends } from "../../../src/project/rules/frontends.ts";
import type { Endpoint, ServiceSettings } from "../../../src/project/rules/settings.ts";

const service = (name: string, ...endpoints: Endpoint[]): ServiceSettings => ({ name, command: "run", endpoints });
const keys = (...services: ServiceSettings[]) => listFrontends(services).map(({ key }) => key);
const open = (port: number, name?: string): Endpoint => ({ name, port, public: true });
const closed = (port: number): Endpoint => ({ port, public: false });

describe("the endpoints that serve a preview", () => {
  it.each<[string, ServiceSettings[], string[]]>([
    ["a service's first endpoint goes by the service's name", [service("web", open(3000, "http"))], ["web"]],
    [
      "its second and later ones by both names",
      [service("web", open(3000), open(3001, "admin"))],
      ["web", "web-admin"],
    ],
    ["a later one without a name goes by its port", [service("web", open(3000), open(3001))], ["web", "web-3001"]],
    ["one that is not public is none", [service("web", open(3000)), service("db", closed(5432))], ["web"]],
    [
      "the second stays the second behind one that is not public",
      [service("web", closed(1), open(2, "ui"))],
      ["web-ui"],
    ],
    ["a service without endpoints has none", [service("worker")], []],
    ["they come in the order of the settings", [service("b", open(1)), service("a", open(2))], ["b", "a"]],
  ])("%s", (_, services, expected) => {
    expect(keys(...services)).toEqual(expected);
  });

  it("have their service and port", () => {
    expect(listFrontends([service("Web", open(3000), open(3001, "admin"))])).toEqual([
      { key: "Web", hostLabel: "web", service: "Web", port: 3000 },
      { key: "Web-admin", hostLabel: "web-admin", service: "Web", port: 3001 },
    ]);
  });

  it.each([
    ["web", "web"],
    ["Web App", "web-app"],
    ["web--app", "web-app"],
    ["-web_", "web"],
    ["web.app:2", "web-app-2"],
  ])("%s is %s in a host name, never with the -- that ends it", (name, hostLabel) => {
    expect(listFrontends([service(name, open(3000))])[0]?.hostLabel).toBe(hostLabel);
  });
});
