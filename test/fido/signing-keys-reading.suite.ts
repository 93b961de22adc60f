import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { SigningKeyEntity } from '../../src/fido/tokens/signing-key.entity.js';
import { SigningKeys } from '../../src/fido/tokens/signing-keys.js';
import { CacheVersion } from '../../src/platform/database/cache-version.js';
import { DATABASES, type TestDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { holdNextFind } from '../support/held-find.js';
import { countOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

describe('a signing key that is read while it is revoked', () => {
  it('a revoked signing key stays revoked when an earlier read ends late', async () => {
    const server = await TestServer.start();
    // It would read the keys too, and its read be held instead.
    await server.get(CacheVersion).onModuleDestroy();
    const keys = server.get(SigningKeys);
    const { kid } = keys.current;
    const held = holdNextFind(server.get(DataSource).getRepository(SigningKeyEntity));
    const slow = keys.findNow(kid);
    await eventually(() => expect(held.found).toBe(true));
    await keys.revoke(server.call, kid);
    held.letGo();
    expect(await slow).toBeUndefined();
    expect(keys.current.kid).not.toBe(kid);
    jest.restoreAllMocks();
    await server.stop();
  });
});

const HOUR_MS = 3_600_000;

describe.each([HOUR_MS, -HOUR_MS])('signing keys rotated by a clock that is %i ms ahead', (ms) => {
  let database: TestDatabase;
  let servers: readonly TestServer[];
  let right: SigningKeys;
  let wrong: SigningKeys;
  const rotate = (keys: SigningKeys) => keys.rotate((servers[0] as TestServer).call);
  beforeEach(async () => {
    database = await createServerDatabase('SQLite');
    const start = () => TestServer.start({ database });
    const one = await start();
    const two = await start();
    servers = [one, two];
    [right, wrong] = [one.get(SigningKeys), two.get(SigningKeys)];
    // The first key is older than the difference.
    for (const { clock } of servers) clock.advance(2 * HOUR_MS);
    two.clock.advance(ms);
  });
  afterEach(async () => {
    for (const server of servers) await server.stop();
    await database.remove();
  });

  it('a signing key verifies tokens after a rotation by an instance whose clock differs', async () => {
    const { kid } = right.current;
    await rotate(ms > 0 ? right : wrong);
    await rotate(wrong);
    expect((await right.findNow(kid))?.kid).toBe(kid);
    expect((await wrong.findNow(kid))?.kid).toBe(kid);
  });

  it('the newest signing key signs, even if an instance whose clock differs created it', async () => {
    await rotate(right);
    const earlier = right.jwks().keys.map(({ kid }) => kid);
    await rotate(wrong);
    const newest = wrong.jwks().keys.find(({ kid }) => !earlier.includes(kid))?.kid;
    for (const { clock } of servers) clock.advance(HOUR_MS + 60_000);
    await right.findNow(newest);
    expect(right.current.kid).toBe(newest);
  });
});

const ROUNDS = 10;

describe('signing keys that two instances revoke', () => {
  it.each(DATABASES)(
    'two instances on %s that revoke the last two signing keys at once leave a key',
    async (on) => {
      const database = await createServerDatabase(on);
      const here = await TestServer.start({ database });
      const there = await TestServer.start({ database });
      const one = here.get(SigningKeys);
      const two = there.get(SigningKeys);
      for (let round = 0; round < ROUNDS; round += 1) {
        await one.rotate(here.call);
        const [first, second] = one.jwks().keys.map(({ kid }) => kid);
        await Promise.all([one.revoke(here.call, `${first}`), two.revoke(there.call, `${second}`)]);
        expect(await one.findNow(first)).toBeUndefined();
        expect(await one.findNow(second)).toBeUndefined();
        expect(await countOf(here, 'signing_keys')).toBe(1);
      }
      await here.stop();
      await there.stop();
      await database.remove();
    },
  );
});
