import { storedTransports, transportsOf } from './transports.js';

const kept = (reported?: readonly string[]) =>
  transportsOf({ transports: storedTransports(reported) });
const longest = Array.from({ length: 17 }, (_, n) => `${n}`.padStart(32, 'x'));

describe('the transports of a key', () => {
  it.each<[string, readonly string[] | undefined, readonly string[]]>([
    ['none', undefined, []],
    ['an empty list', [], []],
    ['known words', ['usb', 'nfc'], ['usb', 'nfc']],
    ['a word twice', ['usb', 'nfc', 'usb'], ['usb', 'nfc']],
    ['unknown words', ['internal', 'cable', '<b>', '!~'], ['internal', 'cable', '<b>', '!~']],
    ['a word with a comma', ['a,b', ',', 'c'], ['a,b', ',', 'c']],
    ['words that are no transports', ['', 'a b', 'ü', 'a\n', 'x'.repeat(33), 'usb'], ['usb']],
    ['seventeen words of 32 characters', longest, longest.slice(0, 16)],
  ])('the transports of a key are stored and returned from %s', (_, reported, expected) => {
    expect(kept(reported)).toEqual(expected);
  });
});
