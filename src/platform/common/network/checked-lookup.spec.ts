import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { checkedLookup } from './checked-lookup.js';
import { isPrivateHost } from './public-address.js';

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
  it.each([true, false])('returns the addresses that it checked (all: %s)', async (all) => {
    const { lookup } = nameServer(['8.8.8.8', '2606:4700::1111']);
    const found = all
      ? [
          { address: '8.8.8.8', family: 4 },
          { address: '2606:4700::1111', family: 6 },
        ]
      : '8.8.8.8';
    expect(await look(lookup, all)).toEqual(found);
  });

  it.each([[['127.0.0.1']], [['8.8.8.8', '10.0.0.1']], [['::ffff:8.8.8.8']], [[]]])(
    'refuses a name with the address %j, even if it also has others',
    async (addresses) => expect(await look(nameServer(addresses).lookup, true)).toBe(REFUSED),
  );

  it('resolves the name for each connection and refuses one that is no longer public', async () => {
    const { lookup } = nameServer(['8.8.8.8'], ['127.0.0.1']);
    expect([await look(lookup, false), await look(lookup, false)]).toEqual(['8.8.8.8', REFUSED]);
  });

  it('is the only lookup: no connection uses another resolver', async () => {
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

describe('a host without a lookup', () => {
  it.each(['127.0.0.1', '10.1.2.3', '[::1]', '[::ffff:1.1.1.1]', '[fe80::1]', '0.0.0.0'])(
    '%s is refused without a lookup',
    (host) => expect(isPrivateHost(host)).toBe(true),
  );

  it.each(['https://2130706433/', 'https://0x7f.1/', 'https://127.1/', 'https://[::]/'])(
    '%s is normalised as in a URL',
    (url) => expect(isPrivateHost(new URL(url).hostname)).toBe(true),
  );

  it.each(['8.8.8.8', '[2606:4700::1111]', 'example.com', 'localhost'])(
    '%s is resolved or called',
    (host) => expect(isPrivateHost(host)).toBe(false),
  );
});
