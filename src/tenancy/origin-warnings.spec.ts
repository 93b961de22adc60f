import { sentenceOf } from '../platform/errors/reasons.js';
import { encryptionWarning, originWarnings } from './origin-warnings.js';

describe('allowed origins', () => {
  it('warns of unencrypted origins except on this machine (Secure Contexts §3.1)', () => {
    const fine = ['https://a.example', 'http://localhost:8080', 'http://app.localhost:*'];
    const app = 'android:apk-key-hash:LCHNAybS5Eg-PgH1bJh1zTxjZV8hMpIsNrJ2EYnyTpo';
    expect(encryptionWarning([...fine, app])).toBeUndefined();
    const open = ['http://a.example', 'http://*.a.example:8080'];
    expect(originWarnings('a.example', [...fine, ...open]).map(sentenceOf)).toEqual([
      expect.stringMatching(
        /^These origins are not encrypted: http:\/\/a\.example, http:\/\/\*\.a\.example:8080\. /,
      ),
    ]);
    expect(encryptionWarning(['http://localhost.evil.example'])).toBeDefined();
  });

  it.each([
    ['the domain', 'https://a.example'],
    ['a domain below', 'https://www.a.example:8443'],
    ['every domain below', 'https://*.a.example'],
  ])('warns if no origin is on the domain, but not if %s is allowed', (_, own) => {
    const others = ['https://nota.example', 'https://a.example.org', 'https://b.example'];
    const [found] = originWarnings('a.example', others).map(sentenceOf);
    expect(found).toContain('None of these origins is on a.example or below it');
    expect(originWarnings('a.example', [...others, own])).toEqual([]);
  });

  it('does not warn if only apps are allowed', () => {
    const app = 'android:apk-key-hash:LCHNAybS5Eg-PgH1bJh1zTxjZV8hMpIsNrJ2EYnyTpo';
    expect(originWarnings('a.example', [app])).toEqual([]);
    expect(originWarnings('a.example', [app, 'https://b.example'])).toHaveLength(1);
  });
});
