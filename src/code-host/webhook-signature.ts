// The signature of a webhook: an HMAC of its body with a secret that the code host and the service
// share.
import { createHmac, timingSafeEqual } from "node:crypto";

const form = /^sha256=((?:[0-9a-f]{2}){32})$/;

/** True if an `X-Hub-Signature-256` header is well-formed. */
export function isSignature(header: string | null): header is string {
  return header !== null && form.test(header);
}

export interface SignatureCheck {
  /** Reads the next bytes of the body. */
  read(bytes: Uint8Array): void;
  /** True if the bytes were signed with the secret. Compares in constant time. */
  isSigned(): boolean;
}

/** Verifies the signature of a streamed body. */
export function createSignatureCheck(secret: string, header: string): SignatureCheck {
  const [, digits = ""] = form.exec(header) ?? [];
  const hash = createHmac("sha256", secret);
  return {
    read: (bytes) => void hash.update(bytes),
    isSigned() {
      const encoder = new TextEncoder();
      const [expected, given] = [encoder.encode(hash.digest("hex")), encoder.encode(digits)];
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}
