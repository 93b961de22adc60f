import { originWarnings } from './origin-list.js';

describe('allowed origins', () => {
  it('warns of those without encryption, but not of this machine’s (Secure Contexts §3.1)', () => {
    const fine = ['https://a.example', 'http://localhost:8080', 'http://app.localhost:*'];
    const app = 'android:apk-key-hash:LCHNAybS5Eg-PgH1bJh1zTxjZV8hMpIsNrJ2EYnyTpo';
    expect(originWarnings([...fine, app])).toEqual([]);
    expect(originWarnings([...fine, 'http://a.example', 'http://*.a.example:8080'])).toEqual([
      expect.stringMatching(/^Not encrypted: http:\/\/a\.example, http:\/\/\*\.a\.example:8080\. /),
    ]);
    expect(originWarnings(['http://localhost.evil.example'])).toHaveLength(1);
  });
});
