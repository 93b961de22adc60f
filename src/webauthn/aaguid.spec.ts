import { aaguidBytes, aaguidText, isAaguidText } from './aaguid.js';

const TEXT = '01234567-89ab-cdef-0123-456789abcdef';
const BYTES = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');

describe('the AAGUID', () => {
  it('writes an AAGUID of 16 bytes as a hyphenated lower-case UUID and reads it back', () => {
    expect(aaguidText(BYTES)).toBe(TEXT);
    expect(aaguidBytes(TEXT)).toEqual(BYTES);
  });

  it.each([TEXT, TEXT.toUpperCase()])('accepts %s as an AAGUID', (text) => {
    expect(isAaguidText(text)).toBe(true);
  });

  it.each([
    ['a character before it', `0${TEXT}`],
    ['a character behind it', `${TEXT}0`],
    ['a line end', `${TEXT}\n`],
    ['no hyphens', TEXT.replaceAll('-', '')],
    ['one group too few', '01234567-89ab-cdef-456789abcdef'],
    ['one group too short', '01234567-89ab-cde-0123-456789abcdef'],
    ['a letter that is not hexadecimal', TEXT.replace('a', 'g')],
    ['no characters', ''],
    ['bytes in place of text', BYTES],
    ['an array around it', [TEXT]],
    ['null in its place', null],
  ])('refuses an AAGUID with %s', (_, value) => {
    expect(isAaguidText(value)).toBe(false);
  });
});
