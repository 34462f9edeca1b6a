// The plan of a deployment: the remaining steps, in a safe order. What already exists is not
// created again.
import type { AccountFacts } from "./account.ts";
import { listSettingChanges } from "./application.ts";
import { type DrawnSecret, drawnSecrets } from "./secrets.ts";
import type { Settings } from "./settings.ts";

export type Step =
  | { type: "create-database"; name: string; jurisdiction: string }
  | { type: "create-bucket"; name: string; jurisdiction: string }
  /** Writes the ids into wrangler.toml. */
  | { type: "write-ids" }
  | { type: "create-preview-record"; zoneId: string; name: string }
  /** Migrations are additive, so the previous Worker keeps running while they are applied. */
  | { type: "migrate" }
  /** The image must be in the registry before a Worker that uses it is deployed. */
  | { type: "push-image"; image: string }
  /** Ends a rollout that would still replace the wanted image. */
  | { type: "revert-rollout"; applicationId: string; rolloutId: string }
  /** The bucket must have the OpenAPI document before a Worker that reads it is deployed. */
  | { type: "save-document"; bucket: string; jurisdiction: string }
  /** Waits until the introduced keys are in use everywhere. */
  | { type: "wait-for-keys" }
  | {
      type: "deploy-worker";
      /** True if its new keys verify and unseal only; another deployment puts them first. */
      introduces: boolean;
      image: string;
      draws: DrawnSecret[];
      sets: string[];
      /** What changes of the containers, for printing. */
      changes: string[];
      /** True if a rollout to exactly this is active: applying it again would begin it again. */
      keepsRollout: boolean;
    }
  /** A secret that no version of the Worker needs. */
  | { type: "delete-secret"; name: string }
  | { type: "smoke-test" }
  /** Replaces the command line, the console and the docs, which the bucket has. */
  | { type: "save-clients"; bucket: string; jurisdiction: string }
  /**
   * A sandbox must start on an image that none has started on, before older images are deleted.
   */
  | { type: "try-sandbox"; image: string; bucket: string; jurisdiction: string }
  /** The previous image is kept for a rollback, and so is what an application runs meanwhile. */
  | { type: "prune-images"; keeps: readonly string[] };

export interface Given {
  /** The names of the secrets that are passed to this deployment. */
  secrets: readonly string[];
  /** The names of the secrets that this deployment drops. */
  drops: readonly string[];
  /** True if the secrets contain new keys to sign and to seal with. */
  hasNewKeys: boolean;
  /** The image of this version, tagged by its contents. */
  image: string;
  /** The newest image on which a sandbox has started; null if none is known. */
  triedImage: string | null;
  /** True if the registry has the image; null if that is not known. */
  isPushed: boolean | null;
}

/** Plans a deployment to an account whose checks hold. */
export function planDeployment(
  settings: Settings,
  facts: AccountFacts,
  { secrets, drops, hasNewKeys, image, triedImage, isPushed }: Given,
): Step[] {
  const held = [...(facts.secrets ?? []), ...secrets];
  const previewZone = facts.zones.find(({ name }) => name === settings.previewZone);
  const { application } = facts;
  const { jurisdiction } = settings;
  const { rollout = null } = application ?? {};
  const isNewImage = application?.image !== image;
  const isUntried = isNewImage || triedImage !== image;
  const reverts = rollout !== null && isNewImage && rollout.from === image;
  const settingsDiffer = application ? listSettingChanges(application.settings, settings.containers) : [];
  const changes = [...(isNewImage ? ["image"] : []), ...settingsDiffer];
  const hasIds =
    settings.s3Endpoint !== null && settings.databaseId !== null && settings.databaseId === facts.database?.id;
  const deployWorker: Extract<Step, { type: "deploy-worker" }> = {
    type: "deploy-worker",
    image,
    draws: drawnSecrets.filter((name) => !held.includes(name)),
    sets: [...secrets],
    introduces: false,
    changes,
    keepsRollout: rollout !== null && changes.length === 0,
  };
  return [
    ...(facts.database ? [] : [{ type: "create-database", name: settings.databaseName, jurisdiction } as const]),
    ...(facts.hasBucket ? [] : [{ type: "create-bucket", name: settings.bucketName, jurisdiction } as const]),
    ...(hasIds ? [] : [{ type: "write-ids" } as const]),
    ...(previewZone && !facts.hasPreviewRecord
      ? [{ type: "create-preview-record", zoneId: previewZone.id, name: `*.${settings.previewDomain}` } as const]
      : []),
    { type: "migrate" },
    ...((isPushed === null ? isNewImage && !reverts : !isPushed) ? [{ type: "push-image", image } as const] : []),
    ...(application && rollout && reverts
      ? [{ type: "revert-rollout", applicationId: application.id, rolloutId: rollout.id } as const]
      : []),
    { type: "save-document", bucket: settings.bucketName, jurisdiction },
    ...(hasNewKeys ? [{ ...deployWorker, introduces: true }, { type: "wait-for-keys" } as const] : []),
    // The deployment that introduced the keys has applied the containers already.
    hasNewKeys ? { ...deployWorker, changes: [], keepsRollout: true } : deployWorker,
    ...drops.filter((name) => facts.secrets?.includes(name)).map((name) => ({ type: "delete-secret", name }) as const),
    { type: "smoke-test" },
    { type: "save-clients", bucket: settings.bucketName, jurisdiction },
    ...(isUntried ? [{ type: "try-sandbox", image, bucket: settings.bucketName, jurisdiction } as const] : []),
    ...(isUntried && application
      ? [
          {
            type: "prune-images",
            keeps: [...new Set([image, ...(triedImage ? [triedImage] : []), ...facts.imagesInUse])],
          } as const,
        ]
      : []),
  ];
}

/** Describes a step, for printing before it runs. */
export function formatStep(step: Step): string {
  switch (step.type) {
    case "create-database":
      return `Making the database ${step.name}${step.jurisdiction && ` in ${step.jurisdiction}`} …`;
    case "create-bucket":
      return `Making the bucket ${step.name}${step.jurisdiction && ` in ${step.jurisdiction}`} …`;
    case "write-ids":
      return "Writing the ids of the database and the account into wrangler.toml. Commit them.";
    case "create-preview-record":
      return `Making the DNS record ${step.name} …`;
    case "migrate":
      return "Applying the migrations that are left …";
    case "push-image":
      return "Building and pushing the sandbox image …";
    case "revert-rollout":
      return "Reverting the rollout that replaces this image …";
    case "save-document":
      return "Saving the OpenAPI document, which the Worker serves …";
    case "deploy-worker": {
      const containers =
        step.changes.length > 0 ? `and its containers (${step.changes.join("; ")})` : "(its containers are unchanged)";
      const drawn = step.draws.length === 0 ? "" : ` Draws ${step.draws.join(" and ")}.`;
      const keys = step.introduces ? " Its new keys verify and unseal, but do not sign or seal yet." : "";
      return `Deploying the Worker ${containers} …${drawn}${keys}`;
    }
    case "wait-for-keys":
      return "Waiting until the new keys are known everywhere …";
    case "delete-secret":
      return `Deleting the Worker's secret ${step.name} …`;
    case "smoke-test":
      return "Asking the service for its description …";
    case "save-clients":
      return "Saving the command line, the console and the docs, which the service serves …";
    case "try-sandbox":
      return "Starting a sandbox on the image …";
    case "prune-images":
      return "Deleting sandbox images that nothing runs …";
  }
}
