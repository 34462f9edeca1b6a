// Sealing: how secrets rest in storage. AES-GCM with the id of its key, bound to the row it belongs to, so that a value copied into
// another row does not open.
import { fromBase64Url, toBase64Url } from "../base64url.ts";

interface SealingKey {
  id: string;
  key: CryptoKey;
}

const ivBytes = 12;

/** Reads `<key id>:<32 bytes in base64url>`, several separated by commas. Throws on anything else. */
async function readKeys(setting: string): Promise<[SealingKey, ...SealingKey[]]> {
  const [first, ...rest] = await Promise.all(
    setting.split(",").map(async (entry) => {
      const [id = "", secret = ""] = entry.split(":");
      return {
        id,
        key: await crypto.subtle.importKey("raw", fromBase64Url(secret), "AES-GCM", false, ["encrypt", "decrypt"]),
      };
    }),
  );
  if (!first) throw new Error("SEALING_KEYS holds no key");
  return [first, ...rest];
}

/** Seals a text for one row, named by `identity`. */
export async function seal(setting: string, identity: string, text: string): Promise<string> {
  const [{ id, key }] = await readKeys(setting);
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const sealed = await crypto.subtle.encrypt(cipherFor(iv, identity), key, new TextEncoder().encode(text));
  return [id, toBase64Url(iv), toBase64Url(new Uint8Array(sealed))].join(".");
}

/** Opens what `seal` made for the same row. Throws when the key is unknown, or the value was made for another row or altered. */
export async function unseal(setting: string, identity: string, value: string): Promise<string> {
  const [id, iv = "", sealed = ""] = value.split(".");
  const found = (await readKeys(setting)).find((candidate) => candidate.id === id);
  if (!found) throw new Error(`no sealing key ${id}`);
  const text = await crypto.subtle.decrypt(cipherFor(fromBase64Url(iv), identity), found.key, fromBase64Url(sealed));
  return new TextDecoder().decode(text);
}

function cipherFor(iv: Uint8Array<ArrayBuffer>, identity: string): SubtleCryptoEncryptAlgorithm {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(identity) };
}
