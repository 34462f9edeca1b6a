// The functions of node:crypto that the Worker calls.
declare module "node:crypto" {
  export function createHmac(
    hash: "sha256",
    key: string,
  ): { update(bytes: Uint8Array): unknown; digest(encoding: "hex"): string };
  export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean;
}
