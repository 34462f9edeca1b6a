// Where the program listens that serves a sandbox.

/** The port of the program in the image: one that no development server takes by itself. Services of projects cannot have it. */
export const programPort = 23917;
