import { jest } from '@jest/globals';
import type { ObjectLiteral, Repository } from 'typeorm';

/** Delays the result of the next `find` of a repository, as a slow connection does. */
export function holdNextFind<Row extends ObjectLiteral>(rows: Repository<Row>) {
  const find = rows.find.bind(rows);
  const held = { found: false, letGo: () => {} };
  const end = new Promise<void>((resolve) => (held.letGo = resolve));
  jest.spyOn(rows, 'find').mockImplementationOnce(async (options) => {
    const found = await find(options);
    held.found = true;
    await end;
    return found;
  });
  return held;
}
