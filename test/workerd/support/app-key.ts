// A private key for the service's app at the code host, in PEM, as the code host issues it.

/** Generates a key. */
export async function drawAppKey(): Promise<string> {
  const keys = await crypto.subtle.generateKey(
    { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ["sign", "verify"],
  );
  const der = (await crypto.subtle.exportKey("pkcs8", (keys as CryptoKeyPair).privateKey)) as ArrayBuffer;
  const text = btoa(String.fromCharCode(...new Uint8Array(der)));
  return `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----`;
}
