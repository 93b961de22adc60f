import fc from 'fast-check';
import { base64UrlMistake, decodeBase64Url } from './base64url.js';

describe('decodeBase64Url', () => {
  it('decodes the Base64URL of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (bytes) => {
        expect(decodeBase64Url(Buffer.from(bytes).toString('base64url'))).toEqual(
          Buffer.from(bytes),
        );
      }),
    );
  });

  it('accepts exactly one Base64URL spelling of each value', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (text) => {
        const bytes = decodeBase64Url(text);
        expect(bytes === undefined || bytes.toString('base64url') === text).toBe(true);
      }),
    );
  });

  it.each([
    ['padding', ['AQ==', 'AQI=', 'AQID====']],
    ['characters of the standard alphabet', ['+-_+', '-/-_']],
    ['blanks', [' AQID', 'AQID ', 'AQ ID', 'AQ\tID', 'AQID\n', 'AQID\r\n']],
    ['other characters', ['AQID*', '!AQID', 'AQ.ID', 'AQ%2BID', 'AQ,ID', '~AQID']],
    ['an impossible length', ['A', 'AAAAA']],
    ['unused bits set', ['AR', 'AAB']],
    ['NUL, zero-width, full-width and other letters', ['AQ\0I', 'AQ\u200bI', 'ＡＱ', 'é', '😀']],
    ['padding inside', ['AQ=ID']],
    ['no characters', ['', '=', '====']],
    ['other notations around it', ['data:;base64,AQ', '-----BEGIN', 'AQ;ID']],
  ])('refuses Base64URL with %s', (_title, texts) => {
    expect(texts.map(decodeBase64Url)).toEqual(texts.map(() => undefined));
  });
});

describe('base64UrlMistake', () => {
  it.each([
    ['AQ==', 'padded'],
    ['-_8=', 'padded'],
    ['+/8', 'plain'],
    ['+/8=', 'plain'],
    ['-_8', undefined],
    ['AQ===', undefined],
    ['A', undefined],
    ['!', undefined],
    ['=', undefined],
    ['', undefined],
    [1, undefined],
    [null, undefined],
  ])('finds the mistake of %j: %s', (text, mistake) => {
    expect(base64UrlMistake(text)).toBe(mistake);
  });
});
