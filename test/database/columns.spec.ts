import { TableColumn } from 'typeorm';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { EntitySource } from '../../src/platform/database/entities/entity-source.js';

describe('a column that a migration adds on SQLite', () => {
  const added = (column: Partial<ConstructorParameters<typeof TableColumn>[0]>) =>
    new TableColumn({ name: 'added', type: 'integer', ...column });
  let source: EntitySource;
  beforeEach(async () => {
    source = await new EntitySource(dataSourceOptions('sqlite::memory:')).initialize();
    await source.query(
      'CREATE TABLE things (id integer PRIMARY KEY, CONSTRAINT one CHECK (id > 0))',
    );
    await source.query('INSERT INTO things VALUES (7)');
  });
  afterEach(() => source.destroy());

  const place = async () =>
    (await source.query<unknown[]>("SELECT rootpage FROM sqlite_master WHERE name = 'things'"))[0];

  it.each([
    ['may be empty', added({ isNullable: true }), null],
    ['has a default', added({ default: 3 }), 3],
  ])('keeps the rows when a migration adds a column that %s', async (_, column, value) => {
    const before = await place();
    await source.createQueryRunner().addColumn('things', column);
    expect(await source.query('SELECT * FROM things')).toEqual([{ id: 7, added: value }]);
    expect(await place()).toEqual(before);
  });

  it('the next step of a migration, which may copy the table, keeps an added column', async () => {
    const runner = source.createQueryRunner();
    await runner.addColumn('things', added({ isNullable: true }));
    await runner.addColumn('things', added({ name: 'key', isNullable: true, isUnique: true }));
    expect(await source.query('SELECT * FROM things')).toEqual([{ id: 7, added: null, key: null }]);
  });
});
