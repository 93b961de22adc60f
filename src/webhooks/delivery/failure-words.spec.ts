import { plainText } from '../../platform/pages/languages/languages.js';
import { failureOf, failureOfStatus, failurePhrase, failureText } from './failure-words.js';

const failure = (code: string) => failureOf(Object.assign(new Error(), { code }));

describe('the failure of a webhook', () => {
  it.each([
    ['PRIVATE_ADDRESS', 'not a public one', 'keine öffentliche'],
    ['ECONNREFUSED', 'connection refused', 'kein Server'],
    ['ENOTFOUND', 'the name is unknown', 'unbekannt'],
    ['ETIMEDOUT', 'no connection within ten seconds', 'keine Verbindung'],
    ['ABORT_ERR', 'no answer within ten seconds', 'keine Antwort'],
    ['CERT_HAS_EXPIRED', 'the certificate has expired', 'abgelaufen'],
    ['CERT_REVOKED', 'is revoked', 'widerrufen'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'for another name', 'anderen Namen'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'without its intermediate', 'Zwischen'],
    [
      'ERR_SSL_WRONG_VERSION',
      'no TLS connection could be made (ERR_SSL',
      '(ERR_SSL_WRONG_VERSION)',
    ],
    ['EPIPE', 'the call failed (EPIPE)', 'fehlgeschlagen (EPIPE)'],
  ])('explains the webhook failure %s in the language of the page', (code, english, german) => {
    expect(failureText(failure(code))).toContain(english);
    const inGerman = plainText('de', failurePhrase(failure(code)));
    expect(inGerman.toLowerCase()).toContain(german.toLowerCase());
  });

  it('names the status of a receiver that refused the message', () => {
    expect(failureText(failureOfStatus(500))).toBe('the receiver answered 500');
  });

  it('limits the failure of a webhook to the length of its column', () => {
    expect(failure('E'.repeat(500))).toHaveLength(100);
    expect(failureText(failureOf('no error'))).toBe('the call failed (unknown)');
  });
});
