import { keypairJson } from './keypair.js';
import { isDisplayName, isKnownName, isName } from './names.js';
import { isText, withoutForbidden } from './texts.js';

const NONCHARACTERS = ['\ufdd0', '\ufdef', '\ufffe', '\uffff', '\u{1fffe}', '\u{10ffff}'];
const FORBIDDEN = [...NONCHARACTERS, '\0', '\u0008', '\v', '\f', '\u001f', '\ud800', '\udfff'];

describe('texts that are stored', () => {
  it.each(FORBIDDEN)('stored texts must not contain %j', (character) => {
    expect(isText(`a${character}b`)).toBe(false);
    expect(withoutForbidden(`a${character}b${character}`)).toBe('a\ufffdb\ufffd');
  });

  it.each(['', 'Zahlendreher\n\tzweite Zeile\r\n', 'Ärger 🔑 \ufffd', '\u{1fffd}', '\u0085'])(
    'stored texts may be %j',
    (text) => {
      expect(isText(text)).toBe(true);
      expect(withoutForbidden(text)).toBe(text);
    },
  );

  it.each(NONCHARACTERS)(
    'stored texts are no names and no metadata of a device with %j',
    (character) => {
      const name = `a${character}b`;
      expect([isName(name), isDisplayName(name)]).toEqual([false, false]);
      expect(keypairJson({ name })).toBeUndefined();
    },
  );

  it.each(NONCHARACTERS)('still find a user whose name contains %j', (character) => {
    expect(isKnownName(`a${character}b`)).toBe(true);
  });
});
