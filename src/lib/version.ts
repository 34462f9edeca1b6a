// The version of the service, which is that of its package.

export const serviceVersion = "0.1.0";
