import fc from 'fast-check';
import { isName, normalizeName } from '../../src/validation/names.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { sized } from '../support/harness.js';
import { TestServer } from '../support/test-server.js';

/** Any text that can be a name, often of signs that look alike, join or mean something to SQL. */
const NAMES = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom(...'aAe\u0301é%_*\\\'" ßſK'), minLength: 1, maxLength: 8 }),
  )
  .filter(isName);

describe.each(DATABASES)('UN14 any name, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  it('registers, is listed byte for byte in NFC, signs in, and is gone when it is deleted', async () => {
    const names = new Set(fc.sample(NAMES, sized(40)).map(normalizeName));
    const people = new Map<string, FidoClient>();
    for (const name of names) {
      const client = new FidoClient(server.url);
      expect([name, (await client.register(name)).status]).toEqual([name, 200]);
      people.set(name, client);
    }
    const admin = new AdminClient(server.url, 'localhost');
    const bytesOf = (name: string) => Buffer.from(name).toString('hex');
    expect((await admin.names()).map(bytesOf)).toEqual([...names].map(bytesOf).sort());
    for (const [name, client] of people) {
      expect(await client.signIn(name.normalize('NFD'))).toMatchObject({
        status: 200,
        body: { username: name },
      });
    }
    const { body } = await admin.post('/userapi/deletelistusers', { users: [...names] });
    expect(body).toMatchObject({ deleted: names.size, missing: 0, invalid: 0 });
    for (const [name, client] of people) {
      expect((await client.beginAuthentication(name)).status).toBe(403);
    }
  });
});
