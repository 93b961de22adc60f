import { aaguidBytes, aaguidText, isAaguidText } from './aaguid.js';

const TEXT = '01234567-89ab-cdef-0123-456789abcdef';
const BYTES = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');

describe('aaguid', () => {
  it('writes 16 bytes as a hyphenated lower-case UUID and reads them back', () => {
    expect(aaguidText(BYTES)).toBe(TEXT);
    expect(aaguidBytes(TEXT)).toEqual(BYTES);
  });

  it.each([TEXT, TEXT.toUpperCase()])('knows %s as an AAGUID (D30)', (text) => {
    expect(isAaguidText(text)).toBe(true);
  });

  it.each([
    ['bytes before', `0${TEXT}`],
    ['bytes behind', `${TEXT}0`],
    ['a line end', `${TEXT}\n`],
    ['no hyphens', TEXT.replaceAll('-', '')],
    ['a group too few', '01234567-89ab-cdef-456789abcdef'],
    ['a short group', '01234567-89ab-cde-0123-456789abcdef'],
    ['another letter', TEXT.replace('a', 'g')],
    ['nothing', ''],
    ['no text', BYTES],
    ['an array of one', [TEXT]],
    ['null', null],
  ])('refuses %s', (_, value) => {
    expect(isAaguidText(value)).toBe(false);
  });
});
