import type { Request } from 'express';
import { backLink, hasOwnHost } from './visitor.js';

const HOST = 'fido.example:8080';
const of = (method: string, originalUrl: string, referer?: string) =>
  backLink({
    method,
    originalUrl,
    path: originalUrl.split('?', 1)[0],
    host: HOST,
    headers: { ...(referer !== undefined && { referer }) },
  } as Request);

describe('the back link of an error page', () => {
  it('the back link leads to the page of this server that linked here', () => {
    const page = `http://${HOST}/userapi/mds?from=2`;
    expect(of('POST', '/userapi/mds/upload', page)).toBe('/userapi/mds?from=2');
    const inCapitals = page.replace('http://fido', 'HTTP://FIDO');
    expect(of('POST', '/userapi/mds/upload', inCapitals)).toBe('/userapi/mds?from=2');
  });

  it('the back link leads to the same page without its query', () => {
    expect(of('GET', '/userapi/invoice?date=2099-01-01')).toBe('/userapi/invoice');
    const itself = `http://${HOST}/userapi/invoice?date=2099-01-01`;
    expect(of('GET', '/userapi/invoice?date=2099-01-01', itself)).toBe('/userapi/invoice');
  });

  it.each([
    ['POST', '/userapi/mds/upload', undefined],
    ['POST', '/userapi/mds/upload', 'https://evil.example/userapi/mds'],
    ['POST', '/userapi/mds/upload', `http://${HOST}//evil.example/`],
    ['POST', '/userapi/mds/upload', 'no address'],
    ['GET', '/userapi/none', undefined],
    ['GET', '//evil.example/?a', undefined],
  ])('an error page of %s %s has no back link from %s', (method, url, referer) => {
    expect(of(method, url, referer)).toBeUndefined();
  });
});

it.each([
  ['https://fido.example', 'fido.example', true],
  ['https://fido.example', 'FIDO.Example', true],
  ['HTTPS://FIDO.EXAMPLE/page', 'fido.example', true],
  ['https://fido.example', 'fido.example:443', true],
  ['http://fido.example', 'fido.example:80', true],
  ['http://fido.example:8080', 'fido.example:8080', true],
  ['http://fido.example', 'fido.example:443', false],
  ['https://fido.example', 'fido.example:8443', false],
  ['https://evil.example', 'fido.example', false],
  ['https://fido.example.evil.example', 'fido.example', false],
  ['null', 'fido.example', false],
  ['https://fido.example', '', false],
])('whether %s is of the host "%s" is %s', (url, host, expected) => {
  expect(hasOwnHost(url, { host })).toBe(expected);
});
