// An app's private key in PEM. GitHub hands it out as PKCS #1, which the platform does not import: it is wrapped into PKCS #8 first.

/** What stands before an RSA key in PKCS #8: the version, and what kind of key follows. */
const versionAndKind = [0x02, 1, 0, 0x30, 13, 0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1, 0x05, 0];
const [sequence, octetString] = [0x30, 0x04];

/** Reads a key that signs RS256. A setting may hold its line ends as `\n`. Throws for what is no key. */
export async function readPrivateKey(pem: string): Promise<CryptoKey> {
  const form = /-----BEGIN (RSA )?PRIVATE KEY-----([^-]+)-----END/.exec(pem.replaceAll("\\n", "\n"));
  if (!form) throw new Error("this is no private key in PEM");
  const [, isPkcs1, text = ""] = form;
  const bytes = Uint8Array.from(atob(text.replace(/\s/g, "")), (character) => character.charCodeAt(0));
  const whole = isPkcs1 ? element(sequence, [...versionAndKind, ...element(octetString, bytes)]) : bytes;
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  return await crypto.subtle.importKey("pkcs8", new Uint8Array(whole), algorithm, false, ["sign"]);
}

/** An element of DER: what it is, how long, and what it holds. */
function element(kind: number, content: ArrayLike<number>): number[] {
  const { length } = content;
  const digits = [length >> 16, (length >> 8) & 0xff, length & 0xff];
  const significant = digits.slice(digits.findIndex((digit) => digit > 0));
  const head = length < 0x80 ? [length] : [0x80 | significant.length, ...significant];
  return [kind, ...head, ...Array.from(content)];
}
