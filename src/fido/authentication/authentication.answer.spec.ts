import { newId } from '../../platform/database/row-ids.js';
import { newKeysSince } from './authentication.answer.js';

const keyOf = (at: number, more: object = {}) => ({
  id: newId(at),
  credentialId: Buffer.from([at / 1000]),
  deviceName: `key of ${at}`,
  registeredAt: at,
  origin: null,
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

  it('lists nothing if the previous sign-in is unknown, or was at another server', () => {
    for (const lastUsedAt of [undefined, null, 999]) {
      expect(newKeysSince(lastUsedAt, own, others)).toEqual({});
    }
  });
});
