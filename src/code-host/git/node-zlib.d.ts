// What of node:zlib the Worker calls. With `info`, inflating tells how far it read.
declare module "node:zlib" {
  export function inflateSync(packed: Uint8Array, options: { info: true; maxOutputLength: number }): unknown;
}
