import fc from 'fast-check';
import { decodeBase64Url } from './base64url.js';

describe('Base64URL', () => {
  it('decodes its own encoding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (bytes) => {
        expect(decodeBase64Url(Buffer.from(bytes).toString('base64url'))).toEqual(
          Buffer.from(bytes),
        );
      }),
    );
  });

  it('accepts exactly one spelling of each value', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (text) => {
        const bytes = decodeBase64Url(text);
        expect(bytes === undefined || bytes.toString('base64url') === text).toBe(true);
      }),
    );
  });

  it.each([
    ['padding (B01)', ['AQ==', 'AQI=', 'AQID====']],
    ['the standard alphabet (B02, B03)', ['+-_+', '-/-_']],
    ['blanks (B04)', [' AQID', 'AQID ', 'AQ ID', 'AQ\tID', 'AQID\n', 'AQID\r\n']],
    ['other characters (B05)', ['AQID*', '!AQID', 'AQ.ID', 'AQ%2BID', 'AQ,ID', '~AQID']],
    ['an impossible length (B06)', ['A', 'AAAAA']],
    ['a tail with bits set (B07)', ['AR', 'AAB']],
    [
      'NUL, zero-width, full-width and other letters (B08)',
      ['AQ\0I', 'AQ\u200bI', 'ＡＱ', 'é', '😀'],
    ],
    ['padding inside (B09)', ['AQ=ID']],
    ['nothing (B10)', ['', '=', '====']],
    ['other notations (B12)', ['data:;base64,AQ', '-----BEGIN', 'AQ;ID']],
  ])('%s is refused', (_title, texts) => {
    expect(texts.map(decodeBase64Url)).toEqual(texts.map(() => undefined));
  });
});
