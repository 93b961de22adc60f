import fc from 'fast-check';
import { decodeBase64Url } from './base64url.js';

describe('Base64URL', () => {
  it('decodes what it encodes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), (bytes) => {
        expect(decodeBase64Url(Buffer.from(bytes).toString('base64url'))).toEqual(
          Buffer.from(bytes),
        );
      }),
    );
  });

  it('knows one spelling of every value', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (text) => {
        const bytes = decodeBase64Url(text);
        expect(bytes === undefined || bytes.toString('base64url') === text).toBe(true);
      }),
    );
  });

  it.each([
    ['B01: padding', ['AQ==', 'AQI=', 'AQID====']],
    ['B02, B03: the standard alphabet', ['+-_+', '-/-_']],
    ['B04: blanks', [' AQID', 'AQID ', 'AQ ID', 'AQ\tID', 'AQID\n', 'AQID\r\n']],
    ['B05: other characters', ['AQID*', '!AQID', 'AQ.ID', 'AQ%2BID', 'AQ,ID', '~AQID']],
    ['B06: an impossible length', ['A', 'AAAAA']],
    ['B07: a tail with bits set', ['AR', 'AAB']],
    [
      'B08: NUL, zero-width, full-width and other letters',
      ['AQ\0I', 'AQ\u200bI', 'ＡＱ', 'é', '😀'],
    ],
    ['B09: padding inside', ['AQ=ID']],
    ['B10: nothing', ['', '=', '====']],
    ['B12: other notations', ['data:;base64,AQ', '-----BEGIN', 'AQ;ID']],
  ])('%s is refused', (_title, texts) => {
    expect(texts.map(decodeBase64Url)).toEqual(texts.map(() => undefined));
  });
});
