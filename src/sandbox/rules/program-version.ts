// The versions of the protocol between the service and the sandbox program. A sandbox keeps its
// program when a new version of the service is deployed, so the two versions may differ.

/**
 * Incremented when different versions of the program and the service could misread each other. A
 * new field needs no new version: a side that does not know it omits it.
 */
export const protocolVersion = 1;

/** Programs from this version on understand the calls of this service. */
const oldestUnderstood = 1;

/**
 * True if the service and a program of this version understand each other. The version is null
 * while no program runs; the next one will be understood.
 */
export function isUnderstood(protocol: number | null): boolean {
  return protocol === null || (protocol >= oldestUnderstood && protocol <= protocolVersion);
}

/**
 * The port of the program in the image. No development server uses it by default. Services of
 * projects cannot have it.
 */
export const programPort = 23917;
