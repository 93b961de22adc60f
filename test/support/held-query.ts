import { jest } from '@jest/globals';
import type { Database } from '../../src/platform/database/database.js';

/**
 * Keeps the rows of the next query with a statement, as a slow connection does, until `letGo` is called.
 *
 * @returns also a promise that resolves when the rows are read
 */
export function holdNextQuery(database: Database, statement: object) {
  const query = database.query.bind(database);
  const held = { letGo: () => {} };
  const end = new Promise<void>((resolve) => (held.letGo = resolve));
  const reached = new Promise<void>((resolve) => {
    const spy = jest.spyOn(database, 'query').mockImplementation(async (asked, ...params) => {
      const rows = await query(asked, ...params);
      if ((asked as object) !== statement) return rows;
      spy.mockRestore();
      resolve();
      await end;
      return rows;
    });
  });
  return { reached, letGo: () => held.letGo() };
}
