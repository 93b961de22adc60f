import type { Request } from 'express';
import type { ServerOptions } from '../../platform/config/server-options.js';
import { Clients } from './client-address.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const on = new Clients({ eventClients: true } as ServerOptions);
const request = (parts: object) => ({ ip: '192.0.2.1', headers: {}, ...parts }) as Request;
const ofKey = (parts: object) => request({ caller: { key: {} }, ...parts });

describe('from where a call comes, as its events tell', () => {
  it('address and browser, without a version', () => {
    const headers = { 'user-agent': FIREFOX };
    expect(on.of(request({ headers }))).toEqual({
      ...{ address: '192.0.2.1', browser: 'Firefox on Linux' },
    });
  });

  it('an IPv4 address is one however it comes, and no zone follows an IPv6 one', () => {
    expect(on.of(request({ ip: '::ffff:192.0.2.1' }))?.address).toBe('192.0.2.1');
    expect(on.of(request({ ip: 'fe80::1%eth0' }))?.address).toBe('fe80::1');
  });

  it('of an application it is whom that names, and never the application', () => {
    const headers = { 'user-agent': FIREFOX };
    expect(on.of(ofKey({ headers, body: { clientAddress: '2001:db8::3' } }))).toEqual({
      ...{ address: '2001:db8::3', browser: null },
    });
    expect(on.of(ofKey({ headers }))).toBeUndefined();
    expect(on.of(ofKey({ body: { clientAddress: 'home' } }))).toBeUndefined();
  });

  it('nothing with --event-clients off', () => {
    const off = new Clients({ eventClients: false } as ServerOptions);
    expect(off.of(request({}))).toBeUndefined();
  });
});
