import { dataSourceOptions } from '../data-source.js';
import { EntitySource } from '../entities/entity-source.js';
import { LeaseEntity } from '../entities/server.entity.js';
import { insertStep, mustChange, updateStep } from './step-of.js';

describe('the steps of entities on SQLite', () => {
  let source: EntitySource;

  beforeAll(async () => {
    const options = { ...dataSourceOptions('sqlite::memory:'), entities: [LeaseEntity] };
    source = await new EntitySource(options).initialize();
  });

  afterAll(() => source.destroy());

  // SqliteDatabase prepares each text, and keeps the prepared statement.
  it('the steps of entities have the same text for other numbers', () => {
    const leases = source.getRepository(LeaseEntity);
    const insertion = (beat: number) => insertStep(leases, { name: 'a', holder: 'b', beat });
    const change = (beat: number) => updateStep(leases, { name: 'a', beat }, { beat: beat + 1 });

    expect(insertion(2).sql).toBe(insertion(1).sql);
    expect(change(2).sql).toBe(change(1).sql);
    expect(insertion(1_764_300_002_000).params).toEqual(['a', 'b', 1_764_300_002_000]);
    expect(change(1).params).toEqual([2, 'a', 1]);
  });

  it('the step of an entity is a condition of its unit only with mustChange', () => {
    const change = updateStep(source.getRepository(LeaseEntity), { name: 'a' }, { beat: 1 });

    expect(change.mustChange).toBeUndefined();
    expect(mustChange(change)).toEqual({ ...change, mustChange: true });
  });
});
