// After a change of a person's logins, the models that they can choose are read again.
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => void vi.unstubAllGlobals());

test("a change of a login applies to the list of logins and to the choice of models", async () => {
  vi.stubGlobal("location", { origin: "https://switchyard.test" });
  const { queryClient } = await import("../../console/src/api.ts");
  const { refreshSubscriptions } = await import("../../console/src/account/queries.ts");
  const keys = [["subscriptions"], ["access", "p"], ["access", "workspace", "ws"]];
  for (const key of keys) queryClient.setQueryData(key, {});
  await refreshSubscriptions();
  expect(keys.map((key) => queryClient.getQueryState(key)?.isInvalidated)).toEqual([true, true, true]);
});
