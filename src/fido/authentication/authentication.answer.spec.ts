import { newId } from '../../platform/database/row-ids.js';
import type { AnsweredKey } from '../../users/credentials/credential-reader.js';
import { newKeysSince } from './authentication.answer.js';

const keyOf = (at: number, more: Partial<AnsweredKey> = {}): AnsweredKey => ({
  id: newId(at),
  credentialId: Buffer.from([at / 1000]),
  deviceName: `key of ${at}`,
  registeredAt: at,
  origin: null,
  addedAt: at,
  isDeleted: false,
  ...more,
});

describe('newKeysSince', () => {
  const own = keyOf(1000);
  const others = [keyOf(4000), keyOf(2000), keyOf(3000, { isDeleted: true })];

  it('lists later keys, oldest first, without an origin that nobody stored', () => {
    const { newKeys } = newKeysSince(1500, own, [own, ...others]);
    expect(newKeys?.map(({ deviceName }) => deviceName)).toEqual(['key of 2000', 'key of 4000']);
    expect(newKeys?.[0]).not.toHaveProperty('origin');
  });

  it('lists a key of the same millisecond, which may be a later one', () => {
    expect(newKeysSince(4000, own, others).newKeys).toHaveLength(1);
    expect(newKeysSince(4001, own, others)).toEqual({});
  });

  it('judges keys that version 1.0 stored by the times of their IDs', () => {
    const stored = [own, ...others].map((key) => ({ ...key, addedAt: null }));
    const namesSince = (lastUsedAt: number, used = own) =>
      newKeysSince(lastUsedAt, used, [used, ...stored]).newKeys?.map((key) => key.deviceName);
    expect(namesSince(1500)).toEqual(['key of 2000', 'key of 4000']);
    expect(namesSince(3500)).toEqual(['key of 4000']);
    const imported = keyOf(1000, { addedAt: null, registeredAt: 500 });
    expect(namesSince(3500, imported)).toEqual(['key of 4000']);
    expect(namesSince(999, imported)).toBeUndefined();
  });

  it('lists nothing if the previous sign-in is unknown, or was at another server', () => {
    const imported = keyOf(1000, { origin: 'import' });
    for (const lastUsedAt of [undefined, null, 999]) {
      expect(newKeysSince(lastUsedAt, imported, [imported, ...others])).toEqual({});
    }
  });

  it('lists later keys although a registered key signed in before its clock’s time of registration', () => {
    expect(newKeysSince(999, own, [own, ...others]).newKeys).toHaveLength(2);
  });
});
