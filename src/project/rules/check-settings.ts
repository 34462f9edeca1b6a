// Checks a project's settings: the rules across several fields, and those of environments.
import { projectSettingsBytes, sandboxKeyCharacters, variablesMax, variableValueBytes } from "../../rules/limits.ts";
import { type Mistake, type Refusal, refuseMistakes } from "../../rules/refusal.ts";
import { programPort } from "../../sandbox/rules/program-version.ts";
import { getFrontendKey, toHostLabel } from "./frontends.ts";
import type { ProjectSettings } from "./settings.ts";

/** A host name's label has at most 63 characters, some of which `--` and the sandbox key take. */
const hostLabelCharactersMax = 63 - "--".length - "s".length - sandboxKeyCharacters;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const reservedStart = "SWITCHYARD_";

/** Refuses invalid settings, with every invalid field in the details. */
export function checkSettings(settings: ProjectSettings): Refusal | null {
  const { services, env } = settings;
  return refuseMistakes([
    ...mistakesOfCommands(settings),
    ...mistakesOfLabels(settings),
    ...mistakesOfPorts(settings),
    ...services.flatMap(({ cwd }, at) =>
      cwd === undefined || isWithinProject(cwd)
        ? []
        : [{ path: `services.${at}.cwd`, message: "must be a path within the project, relative to its root" }],
    ),
    ...mistakesOfEnvironment("env", env),
    ...services.flatMap((service, at) => mistakesOfEnvironment(`services.${at}.env`, service.env ?? {})),
    ...mistakesOfSize(settings),
  ]);
}

function mistakesOfCommands({ setup, services }: ProjectSettings): Mistake[] {
  const commands = [
    ...setup.map((command, at) => ({ path: `setup.${at}`, command })),
    ...services.map(({ command }, at) => ({ path: `services.${at}.command`, command })),
  ];
  return commands.flatMap(({ path, command }) => {
    if (command.trim() === "") return [{ path, message: "must not be empty" }];
    return command.includes("\0") ? [{ path, message: "must not hold a NUL" }] : [];
  });
}

/**
 * Two endpoints with one label would have one URL. A service has the label of its first endpoint,
 * even while that is not public.
 */
function mistakesOfLabels({ services }: ProjectSettings): Mistake[] {
  const labels = services.flatMap(({ name, endpoints }, at) => [
    { path: `services.${at}.name`, label: toHostLabel(name) },
    ...endpoints.flatMap((endpoint, index) => {
      const label = toHostLabel(getFrontendKey(name, endpoint, index));
      return index > 0 && endpoint.public ? [{ path: `services.${at}.endpoints.${index}.name`, label }] : [];
    }),
  ]);
  const taken = new Set<string>();
  return labels.flatMap(({ path, label }) => {
    if (label === "") return [{ path, message: "must have a letter or a digit" }];
    if (label.length > hostLabelCharactersMax)
      return [
        { path, message: `makes the host name ${label}, which has more than ${hostLabelCharactersMax} characters` },
      ];
    if (taken.has(label)) return [{ path, message: `makes the host name ${label}, which another one has already` }];
    taken.add(label);
    return [];
  });
}

function mistakesOfPorts({ services }: ProjectSettings): Mistake[] {
  const taken = new Set<number>();
  return services.flatMap(({ endpoints }, at) =>
    endpoints.flatMap(({ port }, index) => {
      const path = `services.${at}.endpoints.${index}.port`;
      if (port === programPort) return [{ path, message: "is the port of the sandbox itself: choose another one" }];
      if (taken.has(port)) return [{ path, message: "is the port of another endpoint" }];
      taken.add(port);
      return [];
    }),
  );
}

function mistakesOfEnvironment(path: string, values: Record<string, string>): Mistake[] {
  const entries = Object.entries(values);
  if (entries.length > variablesMax) return [{ path, message: `must have at most ${variablesMax} variables` }];
  return entries.flatMap(([name, value]) => {
    const message = findVariableNameMistake(name) ?? mistakeOfValue(value);
    return message === null ? [] : [{ path: `${path}.${name}`, message }];
  });
}

/** Why a text is no name of a variable of sandboxes; null if it is one. */
export function findVariableNameMistake(name: string): string | null {
  if (!variableName.test(name))
    return "is not a variable name: use letters, digits and `_`, and do not begin with a digit";
  return name.startsWith(reservedStart)
    ? `is reserved: names that begin with ${reservedStart} are the service's`
    : null;
}

function mistakeOfValue(value: string): string | null {
  if (value.includes("\0")) return "must not hold a NUL";
  return countBytes(value) > variableValueBytes ? `must have at most ${inWords(variableValueBytes)} bytes` : null;
}

function mistakesOfSize(settings: ProjectSettings): Mistake[] {
  if (countBytes(JSON.stringify(settings)) <= projectSettingsBytes) return [];
  return [{ path: "", message: `must have at most ${inWords(projectSettingsBytes)} bytes in all` }];
}

const countBytes = (text: string) => new TextEncoder().encode(text).byteLength;
const inWords = (amount: number) => amount.toLocaleString("en-US");

/**
 * True for a relative path that does not leave the project's root. Symbolic links are not resolved.
 */
export function isWithinProject(path: string): boolean {
  return !path.startsWith("/") && !path.includes("\0") && !path.split("/").includes("..");
}
