// Project settings: the setup of a checkout, its services, and the endpoints that serve previews.
import { type Mistake, type Refusal, refuseMistakes } from "../../rules/refusal.ts";

export interface Endpoint {
  name?: string | undefined;
  port: number;
  public: boolean;
  healthPath?: string | undefined;
}

/** The stored value of an environment variable. */
export type StoredValue = { sealed: string };

/** A value of a request, in clear, or the stored value that it keeps. */
export type KeptValue = StoredValue | string;

export interface ServiceSettings<Value = string> {
  name: string;
  command: string;
  cwd?: string | undefined;
  env?: Record<string, Value> | undefined;
  endpoints: Endpoint[];
}

/** The part of a service that its URLs depend on. */
export type ServiceLayout = Pick<ServiceSettings<unknown>, "name" | "endpoints">;

export interface ProjectSettings<Value = string> {
  setup: string[];
  services: ServiceSettings<Value>[];
  env: Record<string, Value>;
  /** False: no spare sandboxes are prepared for new sessions. */
  warmPool?: boolean | undefined;
}

/** The values of the variables of a project and of its services. No text may show them. */
export function listVariableValues({
  env,
  services,
}: {
  env: Record<string, string>;
  services: readonly Pick<ServiceSettings, "env">[];
}): string[] {
  return [env, ...services.map((service) => service.env ?? {})].flatMap((values) => Object.values(values));
}

/** The mask, which replaces a value in responses. */
export const mask = "••••••••";

/** The settings with every value masked. An empty value is not a secret, and stays empty. */
export function toMaskedSettings(settings: ProjectSettings): ProjectSettings {
  return withEnvironments(settings, (values) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === "" ? "" : mask])),
  );
}

/**
 * The requested settings with each mask replaced by the stored value of its service and name.
 * Refuses a mask without a stored value.
 */
export function fromMaskedSettings(
  wanted: ProjectSettings,
  stored: ProjectSettings<KeptValue>,
): ProjectSettings<KeptValue> | Refusal {
  const mistakes: Mistake[] = [];
  const kept = withEnvironments<string, KeptValue>(wanted, (values, path, service) => {
    const known = service === null ? stored.env : (stored.services.find(({ name }) => name === service)?.env ?? {});
    const entries = Object.entries(values).map(([name, value]): [string, KeptValue] => {
      if (value !== mask) return [name, value];
      const standing = Object.hasOwn(known, name) ? known[name] : undefined;
      if (standing === undefined)
        mistakes.push({ path: `${path}.${name}`, message: "is masked, and no value is stored for it; send the value" });
      return [name, standing ?? ""];
    });
    return Object.fromEntries(entries);
  });
  return refuseMistakes(mistakes) ?? kept;
}

/**
 * Converts the environments of the settings. `service` is the service of an environment, null for
 * the project's.
 */
export function withEnvironments<From, To>(
  settings: ProjectSettings<From>,
  change: (values: Record<string, From>, path: string, service: string | null) => Record<string, To>,
): ProjectSettings<To> {
  return {
    ...settings,
    services: settings.services.map(({ env, ...service }, at) => ({
      ...service,
      ...(env && { env: change(env, `services.${at}.env`, service.name) }),
    })),
    env: change(settings.env, "env", null),
  };
}
