/**
 * An address that nobody answers. Its port is below those that servers of other tests are given,
 * which would take the place of a server that was closed.
 */
export const unreachableUrl = "http://127.0.0.1:2";
