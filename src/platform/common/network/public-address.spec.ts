import { isPublicAddress } from './public-address.js';

/** The first and the last address of each block. */
const NOT_PUBLIC = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  private: [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.0.0',
    '192.168.255.255',
  ],
  CGNAT: ['100.64.0.0', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.255.255.255', '::1'],
  'link-local': [
    '169.254.0.0',
    '169.254.169.254',
    '169.254.255.255',
    'fe80::1',
    'febf::1',
    'fe80::1%lo',
  ],
  'site-local': ['fec0::1'],
  'protocol assignments': ['192.0.0.0', '192.0.0.255', '2001::1', '2001:1ff:ffff::1'],
  documentation: [
    '192.0.2.1',
    '198.51.100.255',
    '203.0.113.0',
    '2001:db8::1',
    '3fff::1',
    '3fff:fff::1',
  ],
  benchmarks: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  '6to4': ['192.88.99.1', '2002:7f00:1::1'],
  multicast: ['224.0.0.0', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  reserved: ['240.0.0.0', '255.255.255.255'],
  unspecified: ['::'],
  'unique local': ['fc00::1', 'fdff:ffff::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1'],
  'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8'],
  NAT64: ['64:ff9b::1', '64:ff9b::127.0.0.1', '64:ff9b:1::1'],
  'not given out': ['1000::1', '4000::1', '100::1', '5f00::1'],
  'no address': ['', 'localhost', '1.2.3', '0x7f.1', '[::1]', '8.8.8.8 '],
};

const PUBLIC = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
  ...['126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255'],
  ...['172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'],
  ...['223.255.255.255', '2000::1', '2001:200::1', '2001:4860:4860::8888', '2606:4700::1111'],
  ...['2003::1', '3ffe::1', '3fff:1000::1'],
];

describe('an address that a webhook is called at', () => {
  it.each(Object.entries(NOT_PUBLIC))('may not be one of %s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  it('may be any other', () => {
    expect(PUBLIC.filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});
