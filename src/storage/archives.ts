// Where saved work lies in the store: each save of a sandbox under a key of its own, and the base layers of a project.
export const sandboxFolder = (sandboxKey: string) => `sandboxes/${sandboxKey}/`;
export const workLayerKey = (sandboxKey: string, id: string) => `${sandboxFolder(sandboxKey)}${id}.layer`;
export const baseLayerKey = (projectId: string, id: string) => `bases/${projectId}/${id}.layer`;
