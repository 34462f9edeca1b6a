// The signature of a request to an HTTP trigger, by Standard Webhooks 1.0, as its headers have it.
import { triggerPlaceCharacters, triggerSignatureMs } from "../../rules/limits.ts";

export interface RequestSignature {
  /** The id of the event, identical for all its deliveries. */
  id: string;
  timestamp: string;
  /** Each as `v1,…`. */
  signatures: string[];
}

/** A dot would allow the same signed text to have another id. */
const idForm = /^[!-\-/-~]+$/;
const timeForm = /^\d{1,12}$/;
const signatureForm = /^v1,[A-Za-z0-9+/]{43}=$/;

/** The signature in the headers. Null if one is missing or malformed, or if the time is not now. */
export function readSignature(headers: Pick<Headers, "get">, now: number): RequestSignature | null {
  const [id, timestamp] = [headers.get("webhook-id") ?? "", headers.get("webhook-timestamp") ?? ""];
  // A signature of a version to come is left out.
  const signatures = (headers.get("webhook-signature") ?? "").split(" ").filter((one) => signatureForm.test(one));
  if (!idForm.test(id) || id.length > triggerPlaceCharacters) return null;
  if (!timeForm.test(timestamp) || signatures.length === 0) return null;
  return Math.abs(now - Number(timestamp) * 1_000) <= triggerSignatureMs ? { id, timestamp, signatures } : null;
}
