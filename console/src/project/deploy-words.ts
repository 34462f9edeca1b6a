// The states of a Deploy in words, each with a glyph, so that color is never the only sign.

type Tone = "moves" | "asks" | "good" | "bad" | "quiet";

const states: Record<string, [word: string, tone: Tone]> = {
  idle: ["not deployed", "quiet"],
  creating_sandbox: ["creating a sandbox", "moves"],
  starting_services: ["starting services", "moves"],
  running_agent: ["the agent sets it up", "moves"],
  updating: ["the agent works", "moves"],
  awaiting_user: ["asks you", "asks"],
  warming: ["loading pages", "moves"],
  promoting: ["going live", "moves"],
  warming_pool: ["live, spares start", "moves"],
  deployed: ["live", "good"],
  failed: ["failed", "bad"],
  cancelled: ["stopped", "quiet"],
};

export const toneMarks: Record<Tone, { glyph: string; color: string }> = {
  moves: { glyph: "●", color: "text-accent" },
  asks: { glyph: "◆", color: "text-amber-ink" },
  good: { glyph: "✓", color: "text-green-ink" },
  bad: { glyph: "✕", color: "text-red-ink" },
  quiet: { glyph: "○", color: "text-quiet" },
};

/** The state of a Deploy in words. A newer service may have other states. */
export function describeDeploy(status: string): { word: string; tone: Tone } {
  const [word, tone] = states[status] ?? [status.replaceAll("_", " "), "quiet"];
  return { word, tone };
}
/** The steps of a Deploy, in their order. */
export const deploySteps = [
  ["creating_sandbox", "Create a sandbox"],
  ["starting_services", "Start the services"],
  ["running_agent", "The agent sets the project up"],
  ["warming", "Load the pages"],
  ["promoting", "Make it live"],
  ["warming_pool", "Prepare spare sandboxes"],
] as const;

export type StepState = "done" | "now" | "later";

/** Which steps are done at a status; null where the status is of no new main sandbox. */
export function placeSteps(status: string): StepState[] | null {
  if (status === "deployed") return deploySteps.map(() => "done");
  // A question is asked by the agent, in its step.
  const at = deploySteps.findIndex(([step]) => step === (status === "awaiting_user" ? "running_agent" : status));
  if (at === -1) return null;
  return deploySteps.map((_, index) => (index < at ? "done" : index === at ? "now" : "later"));
}

/** True while a Deploy runs, or waits for an answer. */
export const isDeployOpen = (status: string): boolean => {
  const { tone } = describeDeploy(status);
  return tone === "moves" || tone === "asks";
};

const deliveries = {
  job: "The agent works on it.",
  steer: "It waits for the agent’s turn.",
  queued: "It waits Up next.",
};

/** What became of a message, for the person who sent it. */
export const describeDelivery = (delivery: keyof typeof deliveries): string => deliveries[delivery];
