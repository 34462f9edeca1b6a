// The versions of the protocol between the service and the sandbox program. A sandbox keeps its
// program when a new version of the service is deployed, so the two versions may differ.

/**
 * Incremented when different versions of the program and the service could misread each other. A
 * new field needs no new version: a side that does not know it omits it.
 */
export const protocolVersion = 3;

/** Programs from this version on understand the calls of this service. */
const oldestUnderstood = 1;
/** Programs from this version on forward preview requests to the services. */
const firstCarrying = 3;
/** The version of programs whose version was not recorded. */
const unkept = 2;

/** True if the service and a program of this version understand each other. */
export function isUnderstood(protocol: number | null): boolean {
  const version = protocol ?? unkept;
  return version >= oldestUnderstood && version <= protocolVersion;
}

/** True if a program of this version forwards previews to the services of a sandbox. */
export function carriesPreviews(protocol: number | null): boolean {
  return (protocol ?? unkept) >= firstCarrying;
}

/**
 * The port of the program in the image. No development server uses it by default. Services of
 * projects cannot have it.
 */
export const programPort = 23917;
