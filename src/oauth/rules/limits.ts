// The limits of connected agents, which `limits.ts` exports with all others.

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Connected agents of one person. A new one ends the oldest. */
export const connectedAgentsMax = 100;
/** How long an access token is valid. */
export const accessTokenMs = 60 * minuteMs;
/** An agent that does not refresh its token for this long has to be connected again. */
export const refreshTokenMs = 90 * dayMs;
/** How long after a call beyond its scopes two refreshes are refused. */
export const widenMs = minuteMs;
/** How long a client may take to exchange its code. */
export const authorizationCodeMs = 2 * minuteMs;
/** How long a person may take to decide. */
export const consentMs = 10 * minuteMs;
/** Addresses of one client to which a browser is sent back. */
export const redirectUrisMax = 10;
/** Of all such addresses of one client together: they are part of its id, and of URLs. */
export const redirectUriCharactersMax = 800;
/** Of the parameter by which a client recognizes its own request. */
export const stateCharactersMax = 500;
