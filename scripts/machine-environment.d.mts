/** The certificate files and registry addresses of an environment. */
export function getMachineEnvironment(env: Record<string, string | undefined>): Record<string, string>;
/** The certificate files among these variables. */
export function listCertificateFiles(variables: Record<string, string>): string[];
