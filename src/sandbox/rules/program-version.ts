// The versions of the protocol between the service and the sandbox program. A sandbox keeps its
// program while the service is deployed anew, so the two may be of different ages.

/**
 * Increased where a program and a service of different versions could misread each other. A new
 * field is no new version: whoever does not know it leaves it out.
 */
export const protocolVersion = 3;

/** From this version on, programs take the calls of this service. */
const oldestUnderstood = 1;
/** From this version on, programs carry the requests of previews to the services. */
const firstCarrying = 3;
/** What the programs spoke whose version was not kept. */
const unkept = 2;

/** True if the service and a program of this version understand each other. */
export function isUnderstood(protocol: number | null): boolean {
  const version = protocol ?? unkept;
  return version >= oldestUnderstood && version <= protocolVersion;
}

/** True if previews reach the services of a sandbox through a program of this version. */
export function carriesPreviews(protocol: number | null): boolean {
  return (protocol ?? unkept) >= firstCarrying;
}

// Where the program listens that serves a sandbox.

/**
 * The port of the program in the image: one that no development server takes by itself. Services of
 * projects cannot have it.
 */
export const programPort = 23917;
