// The headers between the service and the sandbox program, beside `Authorization`.

/**
 * Of a request that is for a service's port of the sandbox: that port, as declared. The program
 * carries it there.
 */
export const carriedPortHeader = "x-sandbox-port";
/** Of such a request: the sandbox's own secret. `Authorization` belongs to the service. */
export const carrierHeader = "x-sandbox-secret";

/**
 * Names the process of the program in each of its answers. A program that comes back with the same
 * secret and another id has lost the checkout, or has an older one.
 */
export const bootHeader = "x-sandbox-boot";

/**
 * Of an answer in place of one: no sandbox runs, or nothing listens on the port. A service's own
 * answer has none of these.
 */
export const missingHeader = "x-sandbox-missing";
export const unreachableHeader = "x-sandbox-unreachable";
/** The connection broke before there was an answer. */
export const brokenHeader = "x-sandbox-broken";
