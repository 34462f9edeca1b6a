// The limits of artifacts and Prototypes, which `limits.ts` exports with all others.

const minuteMs = 60_000;
const hourMs = 3_600_000;
const mebibyte = 1_048_576;

/** Part 1, "Limits". */
export const artifactUrlLifetimeMs = 24 * hourMs;
/** Decisions 10: of the address at which a member's page shows an artifact in a frame. */
export const artifactViewLifetimeMs = 15 * minuteMs;
/** Of a document, a mockup or one variant of a Prototype. */
export const artifactTextBytes = 2 * mebibyte;
/** Of an image or a video. The platform's own limit of a request body is slightly higher. */
export const artifactMediaBytes = 100_000_000;
export const artifactSlugCharacters = 100;
export const artifactTitleCharacters = 200;
/** The highest version that a page may declare. */
export const artifactVersionMax = 1_000_000_000;
export const prototypeVariantsMax = 20;
/** Decisions, "Sizes": of one session or run. */
export const artifactsMax = 500;
/** The newest artifacts of a session, or Prototypes of a project, that are listed. */
export const listedMax = 500;
/** Part 1, "Limits". */
export const sharedArtifactRequestsPerMinute = 30;
