// The headers between the service and the sandbox program, in addition to `Authorization`.

/**
 * On a request for a service's port of the sandbox: that port, as declared. The program forwards
 * the request to it.
 */
export const carriedPortHeader = "x-sandbox-port";
/** On such a request: the sandbox's own secret. `Authorization` belongs to the service. */
export const carrierHeader = "x-sandbox-secret";

/**
 * Names the program's process in each of its responses. A program that returns with the same secret
 * and another id has lost the checkout, or has an older one.
 */
export const bootHeader = "x-sandbox-boot";

/**
 * On an error response: no sandbox runs, or nothing listens on the port. A service's own response
 * has none of these headers.
 */
export const missingHeader = "x-sandbox-missing";
export const unreachableHeader = "x-sandbox-unreachable";
/** On an error response: the connection broke before a response arrived. */
export const brokenHeader = "x-sandbox-broken";
