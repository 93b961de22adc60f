import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { isPublicAddress, checkedLookup, isPrivateHost } from './public-address.js';

describe('isPublicAddress', () => {
  it.each(Object.entries(addressesOutsideTheInternet()))(
    'refuses %s as addresses of a webhook',
    (_, addresses) => {
      expect(addresses.filter(isPublicAddress)).toEqual([]);
    },
  );

  it('accepts all other addresses for a webhook', () => {
    expect(publicAddresses().filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});

/** A hostile name server, which returns the next of these answers for each lookup. */
function nameServer(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const lookup = checkedLookup((name, _, answer) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(name);
    answer(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  });
  return { asked, lookup };
}

const look = (lookup: LookupFunction, all: boolean) =>
  new Promise((resolve) => {
    lookup('hook.example', { all }, (error, address) => resolve(error?.message ?? address));
  });

const REFUSED = 'the address is not a public one';

describe('the checked DNS lookup of a connection', () => {
  it.each([true, false])(
    'returns the addresses that the lookup has checked (all: %s)',
    async (all) => {
      const { lookup } = nameServer(['8.8.8.8', '2606:4700::1111']);
      const found = all
        ? [
            { address: '8.8.8.8', family: 4 },
            { address: '2606:4700::1111', family: 6 },
          ]
        : '8.8.8.8';
      expect(await look(lookup, all)).toEqual(found);
    },
  );

  it.each([[['127.0.0.1']], [['8.8.8.8', '10.0.0.1']], [['::ffff:8.8.8.8']], [[]]])(
    'refuses a name with the addresses %j, since one or all of them are not public',
    async (addresses) => expect(await look(nameServer(addresses).lookup, true)).toBe(REFUSED),
  );

  it('resolves a name for each connection and refuses one that is no longer public', async () => {
    const { lookup } = nameServer(['8.8.8.8'], ['127.0.0.1']);
    expect([await look(lookup, false), await look(lookup, false)]).toEqual(['8.8.8.8', REFUSED]);
  });

  it('a connection uses no other resolver than the checked lookup', async () => {
    const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    let connections = 0;
    server.on('connection', () => (connections += 1));
    const { port } = server.address() as AddressInfo;
    const { asked, lookup } = nameServer(['127.0.0.1'], ['8.8.8.8']);
    const call = request({ host: 'rebinding.example', port, lookup });
    const [error] = (await once(call.end(), 'error')) as [Error];
    server.close();
    expect([error.message, asked.length, connections]).toEqual([REFUSED, 1, 0]);
  });
});

describe('isPrivateHost', () => {
  it.each(['127.0.0.1', '10.1.2.3', '[::1]', '[::ffff:1.1.1.1]', '[fe80::1]', '0.0.0.0'])(
    'refuses the host %s without a lookup',
    (host) => expect(isPrivateHost(host)).toBe(true),
  );

  it.each(['https://2130706433/', 'https://0x7f.1/', 'https://127.1/', 'https://[::]/'])(
    'refuses the host of %s, which the URL normalises to a private one',
    (url) => expect(isPrivateHost(new URL(url).hostname)).toBe(true),
  );

  it.each(['8.8.8.8', '[2606:4700::1111]', 'example.com', 'localhost'])(
    'isPrivateHost does not refuse the host %s without a lookup',
    (host) => expect(isPrivateHost(host)).toBe(false),
  );
});

/** The first and the last address of each block. */
function addressesOutsideTheInternet() {
  return {
    'addresses of this network': ['0.0.0.0', '0.255.255.255'],
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
    'link-local addresses': [
      '169.254.0.0',
      '169.254.169.254',
      '169.254.255.255',
      'fe80::1',
      'febf::1',
      'fe80::1%lo',
    ],
    'site-local addresses': ['fec0::1'],
    'addresses of protocol assignments': [
      '192.0.0.0',
      '192.0.0.255',
      '2001::1',
      '2001:1ff:ffff::1',
    ],
    documentation: [
      '192.0.2.1',
      '198.51.100.255',
      '203.0.113.0',
      '2001:db8::1',
      '3fff::1',
      '3fff:fff::1',
    ],
    benchmarks: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
    '6to4 addresses': ['192.88.99.1', '2002:7f00:1::1'],
    multicast: ['224.0.0.0', '239.255.255.255', 'ff02::1', 'ff0e::1'],
    reserved: ['240.0.0.0', '255.255.255.255'],
    unspecified: ['::'],
    'unique local addresses': ['fc00::1', 'fdff:ffff::1'],
    'IPv4-mapped addresses': ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1'],
    'IPv4-compatible addresses': ['::127.0.0.1', '::8.8.8.8'],
    NAT64: ['64:ff9b::1', '64:ff9b::127.0.0.1', '64:ff9b:1::1'],
    'unassigned addresses': ['1000::1', '4000::1', '100::1', '5f00::1'],
    'texts that are not addresses': ['', 'localhost', '1.2.3', '0x7f.1', '[::1]', '8.8.8.8 '],
  };
}

function publicAddresses() {
  return [
    ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
    ...['126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255'],
    ...[
      '172.32.0.0',
      '192.0.1.0',
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
    ],
    ...['223.255.255.255', '2000::1', '2001:200::1', '2001:4860:4860::8888', '2606:4700::1111'],
    ...['2003::1', '3ffe::1', '3fff:1000::1'],
  ];
}
