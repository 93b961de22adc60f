import { plainText } from '../../presentation/languages/languages.js';
import { phraseOf } from '../../presentation/languages/sentences.js';
import { wordsOf } from './failure-words.js';

const failure = (code: string) => Object.assign(new Error(), { code });

describe('why a webhook failed', () => {
  it.each([
    ['PRIVATE_ADDRESS', 'not a public one', 'keine öffentliche'],
    ['ECONNREFUSED', 'nobody listens', 'niemand'],
    ['ENOTFOUND', 'the name is unknown', 'unbekannt'],
    ['ETIMEDOUT', 'no connection within ten seconds', 'keine Verbindung'],
    ['ABORT_ERR', 'no answer within ten seconds', 'keine Antwort'],
    ['CERT_HAS_EXPIRED', 'the certificate has expired', 'abgelaufen'],
    ['CERT_REVOKED', 'is revoked', 'widerrufen'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'for another name', 'anderen Namen'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'without those between', 'Zwischen'],
    ['ERR_SSL_WRONG_VERSION', 'no TLS connection came about (ERR_SSL', '(ERR_SSL_WRONG_VERSION)'],
    ['EPIPE', 'the call failed (EPIPE)', 'fehlgeschlagen (EPIPE)'],
  ])('is said of %s, in the language of the page too', (code, english, german) => {
    const words = wordsOf(failure(code));
    expect(words).toContain(english);
    const known = phraseOf(words);
    expect(known && plainText('de', known).toLowerCase()).toContain(german.toLowerCase());
  });

  it('fits where it is kept, whatever the code is', () => {
    expect(wordsOf(failure('E'.repeat(500))).length).toBe(100);
    expect(wordsOf('no error')).toBe('the call failed (unknown)');
  });
});
