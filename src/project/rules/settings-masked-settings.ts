// Settings with masked environment values. A mask in a request keeps the stored value.
import { type Mistake, type Refusal, refuseMistakes } from "../../rules/refusal.ts";
import type { ProjectSettings, StoredValue } from "./settings.ts";

/** The mask, which replaces a value in responses. */
export const mask = "••••••••";

/** The settings with every value masked. An empty value is no secret, and stays empty. */
export function maskedSettings(settings: ProjectSettings): ProjectSettings {
  return withEnvironments(settings, (values) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === "" ? "" : mask])),
  );
}

/** The wanted settings with the stored value in the place of each mask, found by its service and name. Refuses a mask of nothing. */
export function keepMasked(
  wanted: ProjectSettings,
  stored: ProjectSettings<StoredValue>,
): ProjectSettings<StoredValue> | Refusal {
  const mistakes: Mistake[] = [];
  const kept = withEnvironments<string, StoredValue>(wanted, (values, path, service) => {
    const known = service === null ? stored.env : (stored.services.find(({ name }) => name === service)?.env ?? {});
    const entries = Object.entries(values).map(([name, value]): [string, StoredValue] => {
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

/** Converts the environments of the settings. `service` is the service of an environment, null for the project's. */
function withEnvironments<From, To>(
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
