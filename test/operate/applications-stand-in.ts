// The container applications of the stand-in of the platform, and their rollouts.

/** A container application, as wrangler sent it. */
export interface Application {
  id: string;
  name: string;
  configuration: { image: string; [field: string]: unknown };
  active_rollout_id?: string;
  scheduling_hint?: { target: { configuration: { image: string; [field: string]: unknown } } };
  [field: string]: unknown;
}

/** The applications of an account. */
export interface Rollouts {
  applications: Application[];
  /** True if a rollout lasts until `endRollouts`. */
  rollsOutSlowly: boolean;
}

/**
 * Changes an application, or its rollouts. A rollout is complete as soon as it is asked for, unless
 * the account rolls out slowly: then the image stays, and the new one is the target.
 */
export function changeApplication(
  account: Rollouts,
  application: Application,
  rollouts: string,
  change: { configuration?: Application["configuration"] },
): object {
  if (rollouts === "") {
    const { configuration } = application;
    const isNew = change.configuration !== undefined && change.configuration.image !== configuration.image;
    if (!isNew) return Object.assign(application, change);
    if (!account.rollsOutSlowly) {
      Object.assign(application, change);
      return endRollout(application);
    }
    return Object.assign(application, change, {
      ...{ configuration, active_rollout_id: `rollout-${account.applications.length}` },
      scheduling_hint: { target: { configuration: change.configuration } },
    });
  }
  if (rollouts === "/rollouts") return { id: "rollout-2", ...change };
  endRollout(application);
  return { id: rollouts.split("/").at(-1), ...change };
}

function endRollout(application: Application): Application {
  delete application.active_rollout_id;
  delete application.scheduling_hint;
  return application;
}

/** Completes the rollouts that are in progress. */
export function endRollouts({ applications }: Rollouts): void {
  for (const application of applications) {
    const { target } = application.scheduling_hint ?? {};
    if (target) application.configuration = target.configuration;
    endRollout(application);
  }
}
