import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { inProject, ROOT } from '../project.mjs';

/** SQLite comes with the packages. */
export function findSqlite() {
  try {
    const Database = createRequire(inProject('package.json'))('better-sqlite3');
    const database = new Database(':memory:');
    const version = database.prepare('SELECT sqlite_version()').pluck().get();
    database.close();
    return { name: 'SQLite', detail: `${version}, embedded`, env: {} };
  } catch (error) {
    return { name: 'SQLite', missing: error.message, env: {} };
  }
}

/** Collected ceremonies in a folder beside the project: optional. */
export function findVectors() {
  const folder = process.env.SERVICEFIDO_VECTORS ?? inProject('../shared/vectors');
  const name = 'Collected vectors';
  const kinds = ['registration', 'authentication'].filter((kind) =>
    existsSync(`${folder}/${kind}`),
  );
  if (kinds.length === 0) {
    return {
      name,
      optional: true,
      missing: 'not found; SERVICEFIDO_VECTORS names their folder',
      env: {},
    };
  }
  const files = kinds.flatMap((kind) => readdirSync(`${folder}/${kind}`));
  const detail = `${files.length} files in ${relative(ROOT, folder) || folder}`;
  return { name, optional: true, detail, env: { SERVICEFIDO_VECTORS: folder } };
}
