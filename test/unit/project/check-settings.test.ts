import { describe, expect, it } from "vitest";
import { checkSettings } from "../../../src/project/rules/check-settings.ts";
import type { Endpoint, ProjectSettings, ServiceSettings } from "../../../src/project/rules/settings.ts";

const service = (name: string, more: Partial<ServiceSettings> = {}): ServiceSettings => ({
  name,
  command: "run",
  endpoints: [],
  ...more,
});
const settings = (more: Partial<ProjectSettings>): ProjectSettings => ({ setup: [], services: [], env: {}, ...more });
const open = (port: number, name?: string): Endpoint => ({ name, port, public: true });
const closed = (port: number): Endpoint => ({ port, public: false });
const variables = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`V${at}`, "1"]));
const kibibytes = (count: number) => "x".repeat(count * 1_024);

const listPaths = (checked: ProjectSettings) => {
  const refusal = checkSettings(checked);
  return refusal && (refusal.details as { path: string }[]).map(({ path }) => path);
};

describe("accepted settings", () => {
  it.each<[string, Partial<ProjectSettings>]>([
    ["nothing", {}],
    ["services of several names and ports", { services: [service("web", { endpoints: [open(1), open(2, "admin")] })] }],
    ["a folder within the project", { services: [service("web", { cwd: "apps/web" })] }],
    ["200 variables in each environment", { services: [service("web", { env: variables(200) })], env: variables(200) }],
    ["a value of 32 KiB, and an empty one", { env: { LONG: kibibytes(32), EMPTY: "" } }],
    ["names of every form", { env: { _: "1", a1_B: "1", SWITCHYARD: "1", switchyard_x: "1" } }],
    [
      "settings of nearly 1 MiB",
      { env: Object.fromEntries(Object.keys(variables(31)).map((name) => [name, kibibytes(32)])) },
    ],
  ])("%s", (_, more) => {
    expect(checkSettings(settings(more))).toBeNull();
  });
});

describe("refused settings, by the path of the mistake", () => {
  it.each<[string, Partial<ProjectSettings>, string[]]>([
    [
      "commands of spaces",
      { setup: ["npm ci", " "], services: [service("web", { command: "\n" })] },
      ["setup.1", "services.0.command"],
    ],
    ["a NUL in a command", { setup: ["a\0b"] }, ["setup.0"]],
    ["two services of a name", { services: [service("web"), service("web")] }, ["services.1.name"]],
    [
      "two names that a host name cannot tell apart",
      { services: [service("my_app"), service("My-App")] },
      ["services.1.name"],
    ],
    ["a name without a letter or a digit", { services: [service("_-")] }, ["services.0.name"]],
    [
      "an endpoint with the name of a service",
      { services: [service("web", { endpoints: [open(1), open(2, "admin")] }), service("web-admin")] },
      ["services.1.name"],
    ],
    [
      "two endpoints of a name",
      { services: [service("web", { endpoints: [open(1), open(2, "admin"), open(3, "Admin")] })] },
      ["services.0.endpoints.2.name"],
    ],
    [
      "a host name that is too long",
      { services: [service("a".repeat(40), { endpoints: [open(1), open(2, "b".repeat(4))] })] },
      ["services.0.endpoints.1.name"],
    ],
    [
      "the port of the sandbox itself",
      { services: [service("web", { endpoints: [open(3_000), closed(23_917)] })] },
      ["services.0.endpoints.1.port"],
    ],
    [
      "a port twice, also of two services",
      {
        services: [
          service("a", { endpoints: [open(1), closed(1)] }),
          service("b", { endpoints: [closed(2), open(1)] }),
        ],
      },
      ["services.0.endpoints.1.port", "services.1.endpoints.1.port"],
    ],
    [
      "a folder outside",
      { services: [service("a", { cwd: "../b" }), service("b", { cwd: "/" })] },
      ["services.0.cwd", "services.1.cwd"],
    ],
    [
      "201 variables",
      { services: [service("web", { env: variables(201) })], env: variables(201) },
      ["env", "services.0.env"],
    ],
    [
      "names that are none, or the service's",
      { env: { "1A": "1", "A-B": "1", "": "1", SWITCHYARD_X: "1", Ä: "1" } },
      ["env.1A", "env.A-B", "env.", "env.SWITCHYARD_X", "env.Ä"],
    ],
    [
      "a value over 32 KiB, in bytes",
      { services: [service("a", { env: { A: kibibytes(32) } })], env: { B: `ä${kibibytes(32).slice(1)}` } },
      ["env.B"],
    ],
    ["a NUL in a value", { env: { A: "a\0" } }, ["env.A"]],
    [
      "more than 1 MiB in all",
      { env: Object.fromEntries(Object.keys(variables(32)).map((name) => [name, kibibytes(32)])) },
      [""],
    ],
  ])("%s", (_, more, paths) => {
    expect(listPaths(settings(more))).toEqual(paths);
  });

  it("are explained with what would be accepted", () => {
    expect(checkSettings(settings({ services: [service("web"), service("Web")] }))).toEqual({
      code: "VALIDATION_ERROR",
      message: "services.1.name makes the host name web, which another one has already.",
      details: [{ path: "services.1.name", message: "makes the host name web, which another one has already" }],
    });
  });
});
