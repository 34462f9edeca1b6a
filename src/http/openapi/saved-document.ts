// The OpenAPI document of the built Worker. It is in the bucket, below a key with its hash, so that
// each version of the Worker finds its own, during a deployment and after a rollback.
import { type Refusal, refuse } from "../../rules/refusal.ts";

/** What the keys of saved documents begin with. */
export const documentPrefix = "openapi/";

const missing =
  "The OpenAPI document of this version is not in the bucket. The operator of the service has to deploy it again.";

/** What is needed of the bucket. */
interface DocumentStore {
  get(key: string): Promise<{ json(): Promise<object> } | null>;
}

/**
 * Loads the document for the service at `serverUrl`. Refuses if the bucket does not have it: the
 * document of another version would describe another service.
 */
export async function loadSavedDocument(
  { STORE }: { STORE: DocumentStore },
  key: string,
  serverUrl: string,
): Promise<object | Refusal> {
  const saved = await STORE.get(key);
  if (!saved) return refuse("SERVICE_UNAVAILABLE", missing);
  return { ...(await saved.json()), servers: [{ url: serverUrl }] };
}
