/** See sbom.mjs. */
export function billOfMaterials(date: Date): string;
