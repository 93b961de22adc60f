import type { Request } from 'express';
import { eventClient } from './fido-caller.guard.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const on = { of: (call: Request) => eventClient(call, { eventClients: true }) };
const request = (parts: object) => ({ ip: '192.0.2.1', headers: {}, ...parts }) as Request;
const ofKey = (parts: object) => request({ caller: { key: {} }, ...parts });

describe('the client in an event', () => {
  it('an event contains the client’s address and the browser name without its version', () => {
    const headers = { 'user-agent': FIREFOX };
    expect(on.of(request({ headers }))).toEqual({
      address: '192.0.2.1',
      browser: 'Firefox on Linux',
    });
  });

  it('writes the IPv4 address of a client in one form, and an IPv6 address without its zone', () => {
    expect(on.of(request({ ip: '::ffff:192.0.2.1' }))?.address).toBe('192.0.2.1');
    expect(on.of(request({ ip: 'fe80::1%eth0' }))?.address).toBe('fe80::1');
  });

  it('an event of an application contains the address that it names, never its own', () => {
    const headers = { 'user-agent': FIREFOX };
    expect(on.of(ofKey({ headers, body: { clientAddress: '2001:db8::3' } }))).toEqual({
      address: '2001:db8::3',
      browser: null,
    });
    const inHeader = { 'x-servicefido-client-address': '[2001:db8::3]:51234' };
    expect(on.of(ofKey({ headers: inHeader }))?.address).toBe('2001:db8::3');
    expect(on.of(ofKey({ headers }))).toBeUndefined();
    expect(on.of(ofKey({ body: { clientAddress: 'home' } }))).toBeUndefined();
  });

  it('an event contains no client with --event-clients off', () => {
    const off = { of: (call: Request) => eventClient(call, { eventClients: false }) };
    expect(off.of(request({}))).toBeUndefined();
  });
});
