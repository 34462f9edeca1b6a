// The functions of node:zlib that the Worker calls.
declare module "node:zlib" {
  /** With `info`, its result contains the number of consumed bytes. */
  export function inflateSync(packed: Uint8Array, options: { info: true; maxOutputLength: number }): unknown;

  /** Unpacks only as fast as it is read. */
  export interface Gunzip extends AsyncIterable<Uint8Array> {
    write(chunk: Uint8Array, done: (error?: Error | null) => void): boolean;
    end(): void;
    destroy(error?: Error): void;
  }
  export function createGunzip(options: { chunkSize: number }): Gunzip;
}
