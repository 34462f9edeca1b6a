// What tests of objects call of node:zlib, in addition to the Worker.
declare module "node:zlib" {
  export function gzipSync(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
}
