import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { SigningKeyEntity } from '../../src/fido/tokens/signing-key.entity.js';
import { SigningKeys } from '../../src/fido/tokens/signing-keys.js';
import { eventually } from '../support/eventually.js';
import { holdNextFind } from '../support/held-find.js';
import { TestServer } from '../support/test-server.js';

it('a revoked signing key stays revoked when an earlier read ends late', async () => {
  const server = await TestServer.start();
  const keys = server.get(SigningKeys);
  const { kid } = keys.current;
  const held = holdNextFind(server.get(DataSource).getRepository(SigningKeyEntity));
  const slow = keys.findNow(kid);
  await eventually(() => expect(held.found).toBe(true));
  expect(await keys.revoke(kid)).toBe(true);
  held.letGo();
  expect(await slow).toBeUndefined();
  expect(keys.current.kid).not.toBe(kid);
  jest.restoreAllMocks();
  await server.stop();
});
