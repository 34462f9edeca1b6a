export function buildSandboxProgram(outfile?: string): Promise<string>;
