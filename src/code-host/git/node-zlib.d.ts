// The only function of node:zlib that the Worker calls. With `info`, its result contains the number of consumed bytes.
declare module "node:zlib" {
  export function inflateSync(packed: Uint8Array, options: { info: true; maxOutputLength: number }): unknown;
}
