// The R2 keys of archives: each save of a sandbox's work, and the base layers of a project.
export const sandboxFolder = (sandboxKey: string) => `sandboxes/${sandboxKey}/`;
export const workLayerKey = (sandboxKey: string, id: string) => `${sandboxFolder(sandboxKey)}${id}.layer`;
export const baseLayerKey = (projectId: string, id: string) => `bases/${projectId}/${id}.layer`;
