import { forwardedAddress } from './address-group.js';

describe('an item of X-Forwarded-For', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:51234', '192.0.2.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:51234', '2001:db8::7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    [`fe80::1%${'x'.repeat(100)}`, 'fe80::1'],
    ['unknown', undefined],
    ['_hidden', undefined],
    ['', undefined],
    ['x'.repeat(100), undefined],
    ['192.0.2.7.example', undefined],
    ['192.0.2.256:80', undefined],
    ['[192.0.2.7', undefined],
  ])('reads %j in X-Forwarded-For as the address %j', (item, address) => {
    expect(forwardedAddress(item)).toBe(address);
  });
});
