// The values that the driver tests get from their world, which runs outside of the runtime.
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
