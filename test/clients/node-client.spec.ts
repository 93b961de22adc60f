import { ServiceFido, type ClientSettings } from '../../packages/node/src/index.js';

const BASE = 'https://fido.example.com';

describe('settings of a client', () => {
  const CLIENT = { baseUrl: BASE, key: 'sfk_test' };
  it.each<[unknown, RegExp]>([
    [
      { baseURL: BASE, key: 'sfk_test' },
      /^"baseURL" of "settings" is unknown. Did you mean "baseUrl"\?/,
    ],
    [{ key: 'sfk_test' }, /^"baseUrl" of "settings" must be .* It is undefined/],
    [{ ...CLIENT, baseUrl: 'fido.example.com' }, /^"baseUrl" of "settings" must be the address/],
    [{ ...CLIENT, baseUrl: 'localhost:8080' }, /^"baseUrl" of "settings" must be the address/],
    [{ ...CLIENT, baseUrl: 'https://' }, /^"baseUrl" of "settings" must be the address/],
    [
      { ...CLIENT, timeout: '5s' },
      /^"timeout" of "settings" must be a whole number of milliseconds/,
    ],
    [{ ...CLIENT, timeout: 0 }, /^"timeout" of "settings" must be a whole number of milliseconds/],
    [{ ...CLIENT, relyingparty: 'x' }, /Did you mean "relyingParty"\?/],
    [{ ...CLIENT, relyingParty: '' }, /^"relyingParty" of "settings" must be the domain/],
    [undefined, /^"settings" must be an object with baseUrl, key/],
  ])('a client is not constructed with the settings %j', (settings, message) => {
    const make = () => new ServiceFido(settings as ClientSettings);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  it('the refusal of a wrong key does not show it', () => {
    const make = () => new ServiceFido({ ...CLIENT, key: 'Bearer sfk_secret' });
    expect(make).toThrow(
      /^"key" of "settings" must be the secret of an application key \(sfk_…\)\.$/,
    );
  });

  it('a client takes settings of a class, and undefined where there is a default', () => {
    class Settings {
      readonly baseUrl = new URL(BASE);
      readonly key = 'sfk_test';
      readonly source = 'environment';
    }
    expect(new ServiceFido(new Settings())).toBeInstanceOf(ServiceFido);
    const unset = { relyingParty: undefined, timeout: undefined, fetch: undefined };
    expect(new ServiceFido({ ...CLIENT, ...(unset as object) })).toBeInstanceOf(ServiceFido);
  });
});

/** Calls that were sent, each with its path and query. A refused call sends none. */
let sent: string[];
beforeEach(() => (sent = []));
const fido = new ServiceFido({
  baseUrl: BASE,
  key: 'sfk_test',
  fetch: (url) => {
    sent.push(String(url).slice(BASE.length));
    return Promise.resolve(Response.json({ status: 'ok', users: [], next: null }));
  },
});

describe('calls of the client', () => {
  /** The same client for programs without types. */
  const untyped = fido as unknown as Readonly<
    Record<string, (...values: readonly unknown[]) => Promise<unknown>>
  > & { users(...values: readonly unknown[]): AsyncIterator<unknown> };

  it.each<[string, readonly unknown[], string]>([
    ['listUsers', ['alice'], '"query" must be an object with filter, device, limit, cursor.'],
    [
      'listUsers',
      [{ username: 'nobody' }],
      '"username" of "query" is unknown. Known are filter, device',
    ],
    [
      'listUsers',
      [{ filter: undefined }],
      '"filter" of "query" must be a user name, in which * matches any characters. It is undefined',
    ],
    ['listUsers', [{ filter: '' }], '"filter" of "query" must be a user name'],
    ['listUsers', [{ device: null }], '"device" of "query" must be the name of a key'],
    [
      'listUsers',
      [{ limit: '10' }],
      '"limit" of "query" must be a whole number of results from 1 to 1000.',
    ],
    ['listUsers', [{ cursor: null }], '"cursor" of "query" must be'],
    ['listUsers', [new URLSearchParams('filter=alice')], '"query" must be an object'],
    ['listUsers', [['leaver-*']], '"filter" of "query" must be a user name'],
    ['listUsers', [{}, { limit: 5 }], '"limit" of "options" is unknown. Known are clientAddress'],
    ['listEvents', ['alice'], '"query" must be an object with user, requestId'],
    ['listEvents', [{ username: 'alice' }], '"username" of "query" is unknown.'],
    ['listEvents', [{ user: undefined }], '"user" of "query" must be a user name. It is undefined'],
    [
      'listEvents',
      [{ requestID: 'x' }],
      '"requestID" of "query" is unknown. Did you mean "requestId"?',
    ],
    ['listEvents', [{ outcome: 'failed' }], `"outcome" of "query" must be 'ok' or 'refused'.`],
    ['listEvents', [{ from: new Date(0) }], '"from" of "query" must be a day or a time'],
    [
      'readEvents',
      [],
      '"after" must be `next` of the previous answer, or \'0\' for the oldest event; listEvents() returns the newest. It is undefined',
    ],
    ['readEvents', [''], '"after" must be `next`'],
    ['readEvents', [{ after: '0' }], '"after" must be `next`'],
    ['readEvents', ['0', 10], '"options" must be an object with clientAddress'],
    ['readEvents', ['0', { Limit: 1 }], '"Limit" of "options" is unknown. Did you mean "limit"?'],
    ['beginRegistration', [], '"body" must be the JSON object of the call. It is undefined'],
    ['completeAuthentication', [], '"body" must be the JSON object of the call. It is undefined'],
    [
      'beginAuthentication',
      [{ username: 'alice' }, { clientaddress: '::1' }],
      '"clientaddress" of "options" is unknown. Did you mean "clientAddress"?',
    ],
    ['beginAuthentication', [{ username: 'alice' }, '::1'], '"options" must be an object'],
    [
      'beginAuthentication',
      [{ username: 'alice' }, { signal: 5 }],
      '"signal" of "options" must be an AbortSignal.',
    ],
    ['issueTicket', [], '"ticket" must be an object, for example { username }. It is undefined'],
    ['issueTicket', ['alice'], '"ticket" must be an object'],
    ['disableUser', [], '"username" must be the name of one user. It is undefined'],
    ['disableUser', [''], '"username" must be the name of one user.'],
    ['disableUser', [{ username: 'alice' }], '"username" must be the name of one user.'],
    [
      'disableKey',
      ['alice', 'x'],
      '"options" must be an object with clientAddress, signal, idempotencyKey.',
    ],
    ['enableKey', [], '"credentialId" must be the ID of one key. It is undefined'],
    ['deleteKey', [''], '"credentialId" must be the ID of one key.'],
  ])('%s(...%j) is refused, and sends nothing', async (method, values, message) => {
    await expect(untyped[method]?.(...values)).rejects.toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining(message) as string,
    });
    expect(sent).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{ fitler: 'leaver-*' }, '"fitler" of "query" is unknown. Did you mean "filter"?'],
    ['leaver-*', '"query" must be an object with filter, device, limit, cursor.'],
    [{ filter: undefined }, '"filter" of "query" must be'],
  ])('users(%j) is refused, and lists nobody', async (query, message) => {
    await expect(untyped.users(query).next()).rejects.toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining(message) as string,
    });
    expect(sent).toEqual([]);
  });

  it('listUsers lists everybody only if no filter is named', async () => {
    await fido.listUsers();
    await fido.listUsers({});
    await fido.listUsers({ filter: 'leaver-*', limit: 5 });
    expect(sent).toEqual([
      '/users?limit=100',
      '/users?limit=100',
      '/users?filter=leaver-*&limit=5',
    ]);
  });

  it('calls take options that are undefined, for example an unknown address of the client', async () => {
    const options = { clientAddress: undefined, signal: undefined, idempotencyKey: undefined };
    await fido.completeRegistration({} as never, options);
    await fido.beginAuthentication({ username: 'alice' }, { clientAddress: null as never });
    expect(sent).toHaveLength(2);
  });
});
