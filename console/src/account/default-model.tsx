// The model that the person's sessions run on where they have none of their own.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { groupModels, providerNames } from "../composer/models.ts";
import { modelsQuery } from "../composer/queries.ts";
import { profileQuery } from "../shell/profile.ts";
import { Select } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { subscriptionsQuery } from "./queries.ts";

export function DefaultModel({ value }: { value: string | null }) {
  const { data: models = [], error } = useQuery(modelsQuery);
  const [chosen, setChosen] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isSaved, setIsSaved] = useState(false);

  async function choose(next: string): Promise<void> {
    setChosen(next);
    setRefusal(null);
    setIsSaved(false);
    try {
      await service.request("PATCH /api/user/subscriptions", { body: { defaultModel: next === "" ? null : next } });
      await Promise.all(
        [subscriptionsQuery.queryKey, profileQuery.queryKey].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      );
      setIsSaved(true);
    } catch (refused) {
      setRefusal(refused);
    }
    setChosen(null);
  }

  const shown = chosen ?? value ?? "";
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Select
          aria-label="Your default model"
          className="max-w-full"
          value={shown}
          disabled={chosen !== null}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">The workspace's</option>
          {shown !== "" && !models.some((model) => model.value === shown) && <option value={shown}>{shown}</option>}
          {groupModels(models).map(([provider, families]) => (
            <optgroup key={provider} label={providerNames[provider]}>
              {families.flatMap(({ entries }) =>
                entries.map((model) => (
                  <option key={model.value} value={model.value}>
                    {model.label}
                  </option>
                )),
              )}
            </optgroup>
          ))}
        </Select>
        <span role="status" className="text-quiet">
          {chosen !== null ? "Saving…" : isSaved ? "Saved" : ""}
        </span>
      </div>
      {[error, refusal].map(
        (one, index) =>
          one !== null && (
            // biome-ignore lint/suspicious/noArrayIndexKey: there are always these two.
            <div key={index} className="mt-4">
              <Refusal error={one} />
            </div>
          ),
      )}
    </>
  );
}
