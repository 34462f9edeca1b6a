/** The certificate files and registry addresses of an environment. */
export function machineEnvironment(env: Record<string, string | undefined>): Record<string, string>;
/** The certificate files among these variables. */
export function certificateFilesOf(variables: Record<string, string>): string[];
