// Keeps what was read of crons as the events of their workspaces say.
import { queryClient } from "../api.ts";
import type { Cron, PlacedCron } from "./queries.ts";

/** Takes a cron as it is now into its list and its page. */
export function takeCron(workspaceId: string, cron: Cron): void {
  queryClient.setQueryData<Cron[]>(["crons", workspaceId], (crons) =>
    crons?.some(({ id }) => id === cron.id)
      ? crons.map((one) => (one.id === cron.id ? cron : one))
      : crons && [cron, ...crons],
  );
  queryClient.repeatFirstReads({ queryKey: ["crons", workspaceId] });
  queryClient.setQueryData<PlacedCron>(["cron", cron.id], (known) => {
    if (!known) return known;
    // A list cuts a long prompt; the whole one is read again.
    const whole = { prompt: known.cron.prompt, isPromptCut: known.cron.isPromptCut };
    return { workspaceId, cron: cron.isPromptCut ? { ...cron, ...whole } : cron };
  });
}

/** Reads again what a fire or a change of a cron has changed. */
export function refreshCron(cronId: string): void {
  for (const key of ["cron", "cron-runs", "cron-artifacts"]) queryClient.invalidateQueries({ queryKey: [key, cronId] });
}

/** Takes a deleted cron out of its list. Its page finds that it is gone. */
export function dropCron(workspaceId: string, cronId: string): void {
  queryClient.setQueryData<Cron[]>(["crons", workspaceId], (crons) => crons?.filter(({ id }) => id !== cronId));
  queryClient.repeatFirstReads({ queryKey: ["crons", workspaceId] });
  queryClient.invalidateQueries({ queryKey: ["cron", cronId] });
}

/** Reads everything about crons again, because events were missed. A refusal stays as it is. */
export function refreshCrons(): void {
  for (const key of ["crons", "cron", "cron-runs", "cron-run"])
    queryClient.invalidateQueries({ queryKey: [key], predicate: ({ state }) => state.status !== "error" });
}
