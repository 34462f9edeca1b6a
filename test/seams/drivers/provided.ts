// What the tests of drivers are told by the world around them, on either side of the runtime's border.
export interface DriverWorld {
  hostUrl: string;
  /** An address where nothing listens. */
  nowhereUrl: string;
  remoteUrl: string;
  remoteToken: string;
  serviceCommand: string;
}

declare module "vitest" {
  interface ProvidedContext {
    drivers: DriverWorld;
  }
}
