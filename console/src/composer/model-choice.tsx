// The choice of a model: its family by provider, then effort and speed. Also for new sessions.

import type { Schemas } from "@switchyard/client";
import { Check } from "lucide-react";
import { Name } from "../ui/visible-text.tsx";
import {
  effortName,
  type Family,
  findAccessProblem,
  groupModels,
  pickEntry,
  providerNames,
  shortLabel,
  speedName,
} from "./models.ts";

interface ModelChoiceProps {
  models: readonly Schemas["Model"][];
  access: Schemas["AccessStatus"]["providers"] | undefined;
  value: string | null;
  isLocked?: boolean;
  onChoose: (value: string) => void;
}

export function ModelChoice({ models, access, value, isLocked = false, onChoose }: ModelChoiceProps) {
  const current = models.find((one) => one.value === value);
  const wanted = { reasoning: current?.reasoning ?? ("high" as const), speed: current?.speed ?? null };
  const ofFamily = models.filter(({ provider, model }) => provider === current?.provider && model === current?.model);
  const efforts = [...new Set(ofFamily.map(({ reasoning }) => reasoning))];
  const speeds = [...new Set(ofFamily.filter((one) => one.reasoning === wanted.reasoning).map(({ speed }) => speed))];

  function choose(family: Family, fields: Partial<typeof wanted> = {}): void {
    const entry = pickEntry(family, { ...wanted, ...fields });
    if (entry && entry.value !== value) onChoose(entry.value);
  }

  const family = groupModels(ofFamily)[0]?.[1][0];
  return (
    <div className="flex min-h-0 flex-col">
      <div className="min-h-0 flex-1 overflow-y-auto">
        {groupModels(models).map(([provider, families]) => {
          const problem = findAccessProblem(access?.[provider]);
          return (
            <fieldset key={provider} disabled={isLocked || problem !== null}>
              <legend className="px-2 pt-2 pb-1 font-bold text-meta text-quiet">
                {providerNames[provider]}
                {problem && <span className="font-normal"> · {problem}</span>}
              </legend>
              {families.map((one) => {
                const isCurrent = one === family || (one.model === current?.model && provider === current?.provider);
                return (
                  <button
                    key={one.model}
                    type="button"
                    aria-pressed={isCurrent}
                    disabled={isLocked || problem !== null}
                    className="flex min-h-9 w-full items-center gap-2 rounded-control px-2 hover:bg-sunk disabled:cursor-default disabled:text-quiet disabled:hover:bg-transparent pointer-coarse:min-h-11"
                    onClick={() => choose(one)}
                  >
                    <Check className={`size-4 text-accent ${isCurrent ? "" : "invisible"}`} aria-hidden="true" />
                    <Name className="min-w-0 flex-1 truncate">{one.entries[0] ? nameOf(one) : one.model}</Name>
                    {one.isLegacy && <span className="text-meta text-quiet">retired</span>}
                  </button>
                );
              })}
            </fieldset>
          );
        })}
      </div>
      {family && (
        <div className="shrink-0 border-line border-t pt-1">
          <Row
            title="Effort"
            isLocked={isLocked}
            options={efforts.map((one) => [one, effortName(one)])}
            chosen={wanted.reasoning}
            onChoose={(reasoning) => choose(family, { reasoning })}
          />
          {speeds.length > 1 && (
            <Row
              title="Speed"
              isLocked={isLocked}
              options={speeds.map((one) => [one, speedName(one)])}
              chosen={wanted.speed}
              onChoose={(speed) => choose(family, { speed })}
            />
          )}
        </div>
      )}
    </div>
  );
}

const nameOf = ({ name, entries: [first] }: Family) => (first ? (shortLabel(first).split(" · ")[0] ?? name) : name);

interface RowProps<Value> {
  title: string;
  isLocked: boolean;
  options: [value: Value, name: string][];
  chosen: Value;
  onChoose: (value: Value) => void;
}

function Row<Value>({ title, isLocked, options, chosen, onChoose }: RowProps<Value>) {
  return (
    <fieldset className="px-2 py-1" disabled={isLocked}>
      <legend className="float-left mr-2 w-11 py-1.5 text-meta text-quiet">{title}</legend>
      <div className="flex flex-wrap gap-1">
        {options.map(([value, name]) => (
          <button
            key={name}
            type="button"
            aria-pressed={value === chosen}
            disabled={isLocked}
            className={`min-h-7 rounded-full px-2.5 text-meta disabled:cursor-default pointer-coarse:min-h-11 ${value === chosen ? "bg-accent-tint font-medium text-accent" : "text-quiet hover:bg-sunk"}`}
            onClick={() => onChoose(value)}
          >
            {name}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
