// The options of a menu of models, by provider. Retired ones are left out unless one is chosen.
// Where the person's access is known, a provider that they cannot run is grey and says why.
import type { Schemas } from "@switchyard/client";
import { findAccessProblem, providerNames } from "./models.ts";

interface ModelOptionsProps {
  models: readonly Schemas["Model"][];
  chosen: string | null;
  access?: Schemas["AccessStatus"]["providers"] | undefined;
}

export function ModelOptions({ models, chosen, access }: ModelOptionsProps) {
  const shown = models.filter(({ legacy, value }) => !legacy || value === chosen);
  const isKnown = chosen === null || shown.some(({ value }) => value === chosen);
  return (
    <>
      {!isKnown && <option value={chosen}>{chosen}</option>}
      {[...Map.groupBy(shown, ({ provider }) => provider)].map(([provider, group]) => {
        const problem = findAccessProblem(access?.[provider]);
        const name = providerNames[provider];
        return (
          <optgroup key={provider} label={problem ? `${name} · ${problem}` : name} disabled={problem !== null}>
            {group.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </optgroup>
        );
      })}
    </>
  );
}
