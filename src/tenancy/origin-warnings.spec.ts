import { sentenceOf } from '../platform/errors/reasons.js';
import {
  encryptionWarning,
  originWarnings,
  relatedWarnings,
  suffixWarning,
} from './origin-warnings.js';

const warningsOf = (domain: string, origins: readonly string[]) =>
  originWarnings({ domain, origins });

describe('allowed origins', () => {
  it('warns of unencrypted origins except on this machine (Secure Contexts §3.1)', () => {
    const fine = ['https://a.example', 'http://localhost:8080', 'http://app.localhost:*'];
    const app = 'android:apk-key-hash:LCHNAybS5Eg-PgH1bJh1zTxjZV8hMpIsNrJ2EYnyTpo';
    expect(encryptionWarning([...fine, app])).toBeUndefined();
    const open = ['http://a.example', 'http://*.a.example:8080'];
    expect(warningsOf('a.example', ['https://a.example', app, ...open]).map(sentenceOf)).toEqual([
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
    const [found] = warningsOf('a.example', others).map(sentenceOf);
    expect(found).toContain('None of these origins is on a.example or below it');
    const beside = warningsOf('a.example', [...others, own]).map(sentenceOf);
    expect(beside).toEqual([expect.not.stringContaining('None of these origins')]);
  });

  it('warns of origins of other domains beside one of the domain', () => {
    const others = ['https://b.example', 'http://localhost:*', 'https://*.nota.example'];
    const origins = ['https://a.example', 'https://www.a.example', 'ionic://a', ...others];
    expect(warningsOf('a.example', origins).map(sentenceOf)).toEqual([
      'These origins are neither on a.example nor below it, so browsers do not use its keys there: ' +
        `${others.join(', ')}. List them among the "relatedOrigins", or remove them.`,
    ]);
  });

  it('does not warn of origins of other domains that are related, or of the predecessor', () => {
    const party = { domain: 'a.example', predecessor: 'old.example' };
    const related = 'https://b.example';
    const origins = ['https://a.example', related, 'https://www.old.example'];
    expect(originWarnings({ ...party, origins, relatedOrigins: [related] })).toEqual([]);
    expect(originWarnings({ ...party, origins, predecessor: null })).toHaveLength(1);
  });

  it('does not warn if only apps are allowed', () => {
    const app = 'android:apk-key-hash:LCHNAybS5Eg-PgH1bJh1zTxjZV8hMpIsNrJ2EYnyTpo';
    expect(warningsOf('a.example', [app])).toEqual([]);
    expect(warningsOf('a.example', [app, 'https://b.example'])).toHaveLength(1);
  });
});

describe('the public suffix list', () => {
  it.each(['co.uk', 'com', 'github.io', 'xn--p1ai', 'compute.amazonaws.com'])(
    'warns of a relying party at the public suffix %s',
    (domain) => {
      const [found] = warningsOf(domain, [`https://${domain}`]).map(sentenceOf);
      expect(found).toContain(`"${domain}" is a public suffix`);
    },
  );

  it.each(['example.co.uk', 'me.github.io', 'localhost', 'intranet', 'acme.example'])(
    'does not warn of a relying party at %s',
    (domain) => {
      expect(suffixWarning(domain)).toBeUndefined();
    },
  );

  it('counts related origins by the label before the public suffix', () => {
    const one = ['shop.co.uk', 'shop.com', 'www.shop.com.au', 'shop.de', 'shop.fr', 'shop.it'];
    expect(relatedWarnings(one.map((host) => `https://${host}`))).toEqual([]);
    const six = ['a.github.io', 'b.github.io', 'c.co.uk', 'd.kobe.jp', 'e.com', 'f.example'];
    const [found] = relatedWarnings(six.map((host) => `https://${host}`)).map(sentenceOf);
    expect(found).toContain('may ignore these: f.');
  });
});
