// The name of a model for people, by its id.
import { useQuery } from "@tanstack/react-query";
import { shortLabel } from "../composer/models.ts";
import { modelsQuery } from "../composer/queries.ts";

/** The name of a model, as `Claude Opus 5.5 · High`; its id until the catalog is known. */
export function useModelLabel(id: string | null): string | null {
  const { data } = useQuery(modelsQuery);
  const found = data?.find((model) => model.value === id);
  return found ? shortLabel(found) : id;
}
