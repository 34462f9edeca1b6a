// `npm run backup-bucket`: copies the bucket of a deployment to another bucket of the account, or
// back.
import { writeBucketCopy } from "../cloudflare/bucket-copy.ts";
import { readSettings } from "../cloudflare/settings.ts";
import { readNameAndOptions, runAndExit, Stop } from "../lib/exit.ts";

const usage = `npm run backup-bucket -- BUCKET             copies to BUCKET what it lacks
npm run backup-bucket -- BUCKET --prune     also deletes from BUCKET what the service has deleted
npm run backup-bucket -- BUCKET --restore   copies back what the service lacks

S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY have to be set, to keys that may read and write both buckets.`;

const root = new URL("../..", import.meta.url).pathname;
await runAndExit(async () => {
  const isSet = { type: "boolean", default: false } as const;
  const { name, options } = readNameAndOptions(usage, { restore: isSet, prune: isSet });
  const { restore, prune } = options;
  if (restore && prune) throw new Stop(`--prune is for the backup only.\n\n${usage}`);
  const { s3Endpoint } = readSettings(root);
  if (s3Endpoint === null) throw new Stop("S3_ENDPOINT in wrangler.toml has no account yet: deploy first.");
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  if (!accessKeyId || !secretAccessKey) throw new Stop(`The S3 keys are not set.\n\n${usage}`);
  const bucket = s3Endpoint.replace(/\/+$/, "");
  const backup = bucket.replace(/[^/]+$/, name);
  if (backup === bucket) throw new Stop(`${name} is the bucket of the service. Name another one.`);
  const [from, to] = restore ? [backup, bucket] : [bucket, backup];
  const { copied, copiedBytes, unchanged, deleted } = await writeBucketCopy({
    ...{ from, to, mode: restore ? "restore" : prune ? "prune" : "update" },
    keys: { accessKeyId, secretAccessKey },
  });
  const size = `${(copiedBytes / 1_000_000).toFixed(1)} MB`;
  console.log(
    `Copied ${copied} objects (${size}); ${unchanged} were there already.${prune ? ` Deleted ${deleted}.` : ""}`,
  );
});
