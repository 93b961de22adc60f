import { issuerOf } from './base-address.js';
import { optionsWith } from './load-options.js';

describe('the issuer of tokens', () => {
  it.each([
    [{ issuer: 'https://fido.example.com', host: '0.0.0.0' }, 'https://fido.example.com'],
    [{ host: '127.0.0.1', port: 8080 }, 'http://localhost:8080'],
    [{ host: '0.0.0.0', port: 8080, domain: 'example.com' }, 'https://example.com'],
    [{ host: '0.0.0.0', port: 8080 }, 'http://0.0.0.0:8080'],
    [{ host: '::', port: 8443, tlsCert: 'cert.pem', tlsKey: 'key.pem' }, 'https://[::]:8443'],
    [{ host: 'fido.internal', port: 80 }, 'http://fido.internal:80'],
  ])('the issuer of tokens for the options %j is %s', (options, issuer) => {
    expect(issuerOf(optionsWith(options))).toBe(issuer);
  });
});
