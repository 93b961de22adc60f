import { addressGroup, plainAddress, wideAddressGroup } from './address-group.js';

describe('the group of an IP address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:FFFF:c000:0207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['::1:2:3:4:5:6:7', '0:1:2:3::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['1:2:3::192.0.2.7', '1:2:3:0::/64'],
    ['', ''],
    [undefined, ''],
  ])('the address %s belongs to the group %j', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:FFFF:c000:0207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
    [undefined, ''],
  ])('the address %s belongs to the wide group %j', (address, group) => {
    expect(wideAddressGroup(address)).toBe(group);
  });
});

describe('plainAddress', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['2001:DB8::1', '2001:DB8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:0:192.0.2.7', '::ffff:0:192.0.2.7'],
  ])('writes the address %s as %s', (address, written) => {
    expect(plainAddress(address)).toBe(written);
  });
});
