import { sentenceOf } from '../platform/errors/reasons.js';
import { originWarnings } from './tenancy.validators.js';

describe('allowed origins', () => {
  it('warn of unencrypted origins except on this machine (Secure Contexts §3.1)', () => {
    const fine = ['https://a.example', 'http://localhost:8080', 'http://app.localhost:*'];
    const app = 'android:apk-key-hash:LCHNAybS5Eg-PgH1bJh1zTxjZV8hMpIsNrJ2EYnyTpo';
    expect(originWarnings([...fine, app])).toEqual([]);
    const open = ['http://a.example', 'http://*.a.example:8080'];
    expect(originWarnings([...fine, ...open]).map(sentenceOf)).toEqual([
      expect.stringMatching(
        /^These origins are not encrypted: http:\/\/a\.example, http:\/\/\*\.a\.example:8080\. /,
      ),
    ]);
    expect(originWarnings(['http://localhost.evil.example'])).toHaveLength(1);
  });
});
