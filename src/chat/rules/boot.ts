// How far the start of a turn's sandbox is, for people who wait for it.

export const bootStepNames = ["slot", "machine", "files", "checkout", "services"] as const;
export type BootStepName = (typeof bootStepNames)[number];

export interface BootStep {
  name: BootStepName;
  status: "running" | "completed" | "failed";
  /** What the step found; null if there is nothing to say. */
  detail: string | null;
  startedAt: number;
  completedAt: number | null;
}

/** The steps of a start in their order, those that have started. */
export interface Boot {
  steps: BootStep[];
}

/** A step begins. An attempt that begins again starts over from this step. */
export function startStep({ steps }: Boot, name: BootStepName, now: number): Boot {
  const place = bootStepNames.indexOf(name);
  const earlier = steps.filter((step) => bootStepNames.indexOf(step.name) < place);
  return { steps: [...earlier, { name, status: "running", detail: null, startedAt: now, completedAt: null }] };
}

/** The step that runs ends. */
export function endStep(
  { steps }: Boot,
  { name, status, detail }: Pick<BootStep, "name" | "detail"> & { status: "completed" | "failed" },
  now: number,
): Boot {
  return {
    steps: steps.map((step) =>
      step.name === name && step.status === "running" ? { ...step, status, detail, completedAt: now } : step,
    ),
  };
}
