import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withFolder } from './folder.mjs';
import { createStore } from './load/stores.mjs';
import { inProject } from './project.mjs';

/** Imports a module of the built program, whose packages a script may have installed a moment before. */
export async function built(path) {
  await import('reflect-metadata');
  return import(pathToFileURL(inProject('dist', path)).href);
}

/**
 * Returns the changes that TypeORM would make to a fully migrated database so that its tables match
 * the entities, and their reversal.
 *
 * @param url of an empty database, as for the option --db
 * @returns statements; none if entities and migrations agree
 */
export async function differences(url) {
  const { getMetadataArgsStorage } = await import('typeorm');
  const { dataSourceOptions } = await built('platform/database/data-source.js');
  const { EntitySource } = await built('platform/database/entities/entity-source.js');
  const { migrate } = await built('platform/database/migrate.js');
  // The program's modules register their entities.
  await built('app.module.js');
  // Loaded only if it is switched on.
  await built('oidc/oidc.module.js');
  const entities = getMetadataArgsStorage().tables.map(({ target }) => target);
  const source = await new EntitySource({ ...dataSourceOptions(url), entities }).initialize();
  try {
    await migrate(source);
    const { upQueries, downQueries } = await source.driver.createSchemaBuilder().log();
    const text = ({ query }) => `${query.trim()};`;
    return { up: upQueries.map(text), down: downQueries.map(text).reverse() };
  } finally {
    await source.destroy();
  }
}

/** The number of the next migration. */
export async function nextNumber() {
  const { MIGRATIONS } = await built('platform/database/migrations/index.js');
  return Number(/\d+$/.exec(MIGRATIONS.at(-1).name)[0]) + 1;
}

/** Passes the address of an empty SQLite file to `use`. */
export const withSqlite = (use) =>
  withFolder('migrations', (folder) => use(`sqlite:${join(folder, 'empty.sqlite')}`));

/** Passes the address of an empty database on a MySQL or MariaDB server to `use`. */
export async function withMysql(server, use) {
  const store = await createStore('mariadb', { mysql: server });
  try {
    return await use(store.url);
  } finally {
    await store.remove();
  }
}
