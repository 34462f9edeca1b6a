// The services of the settings as a form has them, and as the service takes them.
import type { ProjectSettings } from "./queries.ts";
import { findMistake, toEnvironment, toRows, type Variable } from "./settings-form.ts";

type Service = ProjectSettings["services"][number];

interface EditedEndpoint {
  key: string;
  port: string;
  name: string;
  isPublic: boolean;
  healthPath: string;
}

export interface EditedService {
  key: string;
  name: string;
  /** Its name as it is stored: stored values belong to it. Null for a new service. */
  storedName: string | null;
  command: string;
  cwd: string;
  rows: Variable[];
  endpoints: EditedEndpoint[];
}

/** The services in a form. A row keeps its key while it is saved again and again. */
export function toEditedServices(services: readonly Service[]): EditedService[] {
  return services.map(({ name, command, cwd = "", env = {}, endpoints }) => ({
    key: `kept ${name}`,
    name,
    storedName: name,
    command,
    cwd,
    rows: toRows(env),
    endpoints: endpoints.map((endpoint) => ({
      key: `kept ${endpoint.port}`,
      port: String(endpoint.port),
      name: endpoint.name ?? "",
      isPublic: endpoint.public,
      healthPath: endpoint.healthPath ?? "",
    })),
  }));
}

/** The services of a form. What is left empty is left out. */
export function toServices(services: readonly EditedService[]): Service[] {
  return services.map(({ name, command, cwd, rows, endpoints }) => {
    const env = toEnvironment(rows);
    return {
      name: name.trim(),
      command,
      ...(cwd.trim() === "" ? {} : { cwd: cwd.trim() }),
      ...(Object.keys(env).length === 0 ? {} : { env }),
      endpoints: endpoints.map((endpoint) => ({
        ...(endpoint.name.trim() === "" ? {} : { name: endpoint.name.trim() }),
        port: Number(endpoint.port),
        public: endpoint.isPublic,
        ...(endpoint.healthPath.trim() === "" ? {} : { healthPath: endpoint.healthPath.trim() }),
      })),
    };
  });
}

const isPort = (text: string) => /^\d{1,5}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= 65_535;

/** Why services cannot be saved; null where they can. */
export function findServiceMistake(services: readonly EditedService[]): string | null {
  const names = new Set<string>();
  const ports = new Set<number>();
  for (const { name: typed, storedName, command, rows, endpoints } of services) {
    const name = typed.trim();
    if (name === "") return "A service has no name.";
    if (names.has(name)) return `“${name}” is the name of two services.`;
    names.add(name);
    if (command.trim() === "") return `“${name}” has no command.`;
    for (const { port } of endpoints) {
      if (!isPort(port)) return `A port of “${name}” is no number from 1 to 65535.`;
      if (ports.has(Number(port))) return `Port ${port.trim()} is there twice.`;
      ports.add(Number(port));
    }
    const mistake = findMistake(rows);
    if (mistake !== null) return `“${name}”: ${mistake}`;
    if (storedName !== null && storedName !== name && rows.some(({ isKept }) => isKept))
      return `Stored values belong to the name “${storedName}”. Replace the values of “${name}”, or keep the name.`;
  }
  return null;
}

/** Services as lines, for people. */
export function describeServices(services: readonly Service[]): string[] {
  return services.flatMap(({ name, command, cwd, env = {}, endpoints }) => [
    `${name}: ${command}${cwd ? ` (in ${cwd})` : ""}`,
    ...endpoints.map((endpoint) => {
      const parts = [endpoint.name, endpoint.public ? "public" : null, endpoint.healthPath].filter((part) => part);
      return `  port ${[endpoint.port, ...parts].join(", ")}`;
    }),
    ...Object.entries(env).map(([variable, value]) => `  ${variable}=${value}`),
  ]);
}
