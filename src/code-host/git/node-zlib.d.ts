// The one function of node:zlib that the Worker calls. With `info`, its result tells how many bytes it consumed.
declare module "node:zlib" {
  export function inflateSync(packed: Uint8Array, options: { info: true; maxOutputLength: number }): unknown;
}
