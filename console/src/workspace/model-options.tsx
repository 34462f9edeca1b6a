// The options of a menu of models, by provider. Retired ones are left out unless one is chosen.
import type { Schemas } from "@switchyard/client";
import { providerNames } from "../composer/models.ts";

interface ModelOptionsProps {
  models: readonly Schemas["Model"][];
  chosen: string | null;
}

export function ModelOptions({ models, chosen }: ModelOptionsProps) {
  const shown = models.filter(({ legacy, value }) => !legacy || value === chosen);
  const isKnown = chosen === null || shown.some(({ value }) => value === chosen);
  return (
    <>
      {!isKnown && <option value={chosen}>{chosen}</option>}
      {[...Map.groupBy(shown, ({ provider }) => provider)].map(([provider, group]) => (
        <optgroup key={provider} label={providerNames[provider]}>
          {group.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </optgroup>
      ))}
    </>
  );
}
