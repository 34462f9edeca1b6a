// A file of the built console, as the service's bucket gets it.

export interface ConsoleFile {
  /** The path below the service's address, such as `_sy/index-1a2b.js`. */
  path: string;
  text: string;
  /** True where `text` is the Base64 of bytes: a cached build is JSON. */
  isBase64?: boolean;
}

/** What is saved of a file. */
export const toContent = ({ text, isBase64 }: ConsoleFile): string | Uint8Array =>
  isBase64 ? new Uint8Array(Buffer.from(text, "base64")) : text;
