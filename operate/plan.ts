// The plan of a deployment: what is left to do, in the order in which it is safe. What is there
// already is not done again.
import type { AccountFacts } from "./account.ts";
import { type DrawnSecret, drawnSecrets } from "./secrets.ts";
import type { Settings } from "./settings.ts";

export type Step =
  | { type: "create-database"; name: string }
  | { type: "create-bucket"; name: string }
  /** The ids are written into wrangler.toml. */
  | { type: "write-ids" }
  | { type: "create-preview-record"; zoneId: string; name: string }
  /** Migrations are additive, so that the Worker of before goes on while they are applied. */
  | { type: "migrate" }
  /** The image is in the registry before a Worker that wants it goes live. */
  | { type: "push-image"; image: string }
  | { type: "deploy-worker"; image: string; draws: DrawnSecret[]; sets: string[]; rollsOut: boolean }
  /** A secret that no version of the Worker needs any more. */
  | { type: "delete-secret"; name: string }
  | { type: "smoke-test" }
  /** The image of before is kept, for a rollback. */
  | { type: "prune-images"; keeps: readonly string[] };

export interface Given {
  /** The names of the secrets that come with this deployment. */
  secrets: readonly string[];
  /** The names of those that end with it. */
  drops: readonly string[];
  /** The image of this version, by what it is made of. */
  image: string;
}

/** Plans a deployment to an account whose checks hold. */
export function planDeployment(settings: Settings, facts: AccountFacts, { secrets, drops, image }: Given): Step[] {
  const held = [...(facts.secrets ?? []), ...secrets];
  const previewZone = facts.zones.find(({ name }) => name === settings.previewZone);
  const rollsOut = facts.image !== image;
  const hasIds =
    settings.s3Endpoint !== null && settings.databaseId !== null && settings.databaseId === facts.database?.id;
  return [
    ...(facts.database ? [] : [{ type: "create-database", name: settings.databaseName } as const]),
    ...(facts.hasBucket ? [] : [{ type: "create-bucket", name: settings.bucketName } as const]),
    ...(hasIds ? [] : [{ type: "write-ids" } as const]),
    ...(previewZone && !facts.hasPreviewRecord
      ? [{ type: "create-preview-record", zoneId: previewZone.id, name: `*.${settings.previewDomain}` } as const]
      : []),
    { type: "migrate" },
    ...(rollsOut ? [{ type: "push-image", image } as const] : []),
    {
      type: "deploy-worker",
      image,
      draws: drawnSecrets.filter((name) => !held.includes(name)),
      sets: [...secrets],
      rollsOut,
    },
    ...drops.filter((name) => facts.secrets?.includes(name)).map((name) => ({ type: "delete-secret", name }) as const),
    { type: "smoke-test" },
    ...(rollsOut && facts.image !== null ? [{ type: "prune-images", keeps: [image, facts.image] } as const] : []),
  ];
}

/** What a step does, as it is said before it. */
export function told(step: Step): string {
  switch (step.type) {
    case "create-database":
      return `Making the database ${step.name} …`;
    case "create-bucket":
      return `Making the bucket ${step.name} …`;
    case "write-ids":
      return "Writing the ids of the database and the account into wrangler.toml. Commit them.";
    case "create-preview-record":
      return `Making the DNS record ${step.name} …`;
    case "migrate":
      return "Applying the migrations that are left …";
    case "push-image":
      return "Building and pushing the sandbox image …";
    case "deploy-worker": {
      const containers = step.rollsOut ? "and its containers" : "(its containers are unchanged)";
      const drawn = step.draws.length === 0 ? "" : ` Draws ${step.draws.join(" and ")}.`;
      return `Deploying the Worker ${containers} …${drawn}`;
    }
    case "delete-secret":
      return `Deleting the Worker's secret ${step.name} …`;
    case "smoke-test":
      return "Asking the service for its description …";
    case "prune-images":
      return "Deleting sandbox images that nothing runs any more …";
  }
}
