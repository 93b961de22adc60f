import { existsSync, readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { inProject, ROOT } from '../project.mjs';

/** Collected ceremonies in a folder beside the project: optional. */
export function findVectors() {
  const folder = process.env.SERVICEFIDO_VECTORS ?? inProject('../shared/vectors');
  const found = { name: 'Collected vectors', optional: true };
  const kinds = ['registration', 'authentication'].filter((kind) =>
    existsSync(`${folder}/${kind}`),
  );
  if (kinds.length === 0)
    return { ...found, missing: 'not found; SERVICEFIDO_VECTORS names their folder', env: {} };
  const files = kinds.flatMap((kind) => readdirSync(`${folder}/${kind}`));
  const detail = `${files.length} files in ${relative(ROOT, folder) || folder}`;
  return { ...found, detail, env: { SERVICEFIDO_VECTORS: folder } };
}
