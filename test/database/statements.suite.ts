import { DataSource, In, LessThan, type Repository } from 'typeorm';
import { SigningKeyEntity } from '../../src/fido/tokens/signing-key.entity.js';
import { RelyingPartyEntity } from '../../src/tenancy/relying-party.entity.js';
import { Tenant } from '../../src/tenancy/tenant.entity.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { TestServer } from '../support/test-server.js';

describe.each(EVERY_DATABASE)('TypeORM’s own queries on %s', (on) => {
  let server: TestServer;
  let source: DataSource;
  let tenants: Repository<Tenant>;
  let relyingParties: Repository<RelyingPartyEntity>;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    source = server.get(DataSource);
    tenants = source.getRepository(Tenant);
    relyingParties = source.getRepository(RelyingPartyEntity);
  });
  afterAll(() => server.stop());

  it('TypeORM finds rows by numbers, lists and pages', async () => {
    const keys = source.getRepository(SigningKeyEntity);
    await keys.clear();
    for (let n = 0; n < 7; n += 1) {
      await keys.insert({ kid: `key-${n}`, privateKey: `${n}`, createdAt: 2 ** 41 + n });
    }
    const kids = async (where: object, page: object = {}) =>
      (await keys.find({ where, order: { kid: 'ASC' }, ...page })).map(({ kid }) => kid);
    expect(await kids({ createdAt: LessThan(2 ** 41 + 2) })).toEqual(['key-0', 'key-1']);
    expect(await kids({ createdAt: In([1, 2 ** 41 + 3, 2 ** 41 + 5]) })).toEqual([
      'key-3',
      'key-5',
    ]);
    expect(await kids({ kid: In(['key-1', 'key-2', 'key-6', 'none', 'key-1']) })).toEqual([
      'key-1',
      'key-2',
      'key-6',
    ]);
    expect(await kids({ kid: In([]) })).toEqual([]);
    expect(await kids({}, { skip: 2, take: 3 })).toEqual(['key-2', 'key-3', 'key-4']);
    const changed = await keys.update({ createdAt: 2 ** 41 + 6 }, { createdAt: 0 });
    expect(changed.affected).toBe(1);
    expect(await kids({ createdAt: 0 })).toEqual(['key-6']);
  });

  describe('a condition without a value', () => {
    const missing: { id: Buffer | undefined } = { id: undefined };

    it.each([
      ['find', () => tenants.find({ where: { id: missing.id } as object })],
      ['findBy, one of two', () => tenants.findBy({ createdAt: 1, ...missing } as object)],
      ['findOneBy', () => tenants.findOneBy({ id: missing.id } as object)],
      ['count', () => tenants.count({ where: { id: missing.id } as object })],
      ['update', () => tenants.update({ id: missing.id } as object, { changedAt: 1 })],
      ['delete', () => tenants.delete({ id: missing.id } as object)],
      ['null', () => tenants.findBy({ id: null } as object)],
      [
        'of a tenant, in a scoped one',
        () => relyingParties.findBy({ tenantId: missing.id, domain: 'localhost' } as object),
      ],
    ])('refuses a condition without a value and does not omit it: %s', async (_title, ask) => {
      const before = await tenants.find();
      await expect(ask()).rejects.toThrow(/undefined|null/i);
      expect(await tenants.find()).toEqual(before);
    });

    it('a condition without a value matches nothing in a query builder', async () => {
      const one = await tenants.createQueryBuilder('t').where(missing).getMany();
      expect(one).toEqual([]);
      const changed = await tenants.createQueryBuilder().delete().where(missing).execute();
      expect(changed.affected).toBe(0);
    });
  });
});
