/** What this run found and started; `undefined` until a project with services starts. */
export const found = { services: undefined, templates: undefined };
