// Sealing: encryption of stored secrets with AES-GCM. A sealed value contains the id of its key and
// is bound to its row, so that a value copied into another row cannot be unsealed.
import { fromBase64Url, toBase64Url } from "../lib/base64url.ts";

interface SealingKey {
  id: string;
  key: CryptoKey;
}

const ivBytes = 12;

/** The imported keys of a setting, cached because a project can have hundreds of values. */
const imported = new Map<string, Promise<[SealingKey, ...SealingKey[]]>>();

function listKeys(setting: string): Promise<[SealingKey, ...SealingKey[]]> {
  const known = imported.get(setting) ?? readKeys(setting);
  imported.set(setting, known);
  return known;
}

/** The ids of the keys. The first key seals. */
export async function listSealingKeyIds(setting: string): Promise<[string, ...string[]]> {
  const [first, ...rest] = await listKeys(setting);
  return [first.id, ...rest.map(({ id }) => id)];
}

/**
 * Parses SEALING_KEYS: `<key id>:<32 bytes in base64url>`, several separated by commas. Throws for
 * anything else.
 */
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

/** Seals a text for the row that `identity` names, with the first key of the setting. */
export async function seal(setting: string, identity: string, text: string): Promise<string> {
  const [{ id, key }] = await listKeys(setting);
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const sealed = await crypto.subtle.encrypt(cipherFor(iv, identity), key, new TextEncoder().encode(text));
  return [id, toBase64Url(iv), toBase64Url(new Uint8Array(sealed))].join(".");
}

/**
 * Unseals what `seal` returned for the same row. Throws if the key is unknown, or the value was
 * altered or belongs to another row.
 */
export async function unseal(setting: string, identity: string, value: string): Promise<string> {
  const [id, iv = "", sealed = ""] = value.split(".");
  const found = (await listKeys(setting)).find((candidate) => candidate.id === id);
  if (!found) throw new Error(`no sealing key ${id}`);
  const text = await crypto.subtle.decrypt(cipherFor(fromBase64Url(iv), identity), found.key, fromBase64Url(sealed));
  return new TextDecoder().decode(text);
}

function cipherFor(iv: Uint8Array<ArrayBuffer>, identity: string): SubtleCryptoEncryptAlgorithm {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(identity) };
}
