import { isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/** An address as people write it: an IPv4 address that comes as an IPv6 one is one, and no zone follows. */
export function addressOf(address: string): string {
  const [plain = ''] = address.split('%', 1);
  return MAPPED.exec(plain)?.[1] ?? plain;
}

/**
 * What counts as one caller: an IPv4 address, or the 64 bits of an IPv6 address that a network is
 * given at least (RFC 6177 §2), since whoever has one of its addresses has them all.
 */
export function addressGroup(address: string | undefined): string {
  if (!address?.includes(':')) return address ?? '';
  return ipv6Group(address, 4);
}

/**
 * What one customer can have at most: an IPv4 address, or the 48 bits of an IPv6 address that a site
 * is given (RFC 6177 §2). Others may share it, so that it is good for a multiple of a limit only.
 */
export function wideAddressGroup(address: string | undefined): string {
  if (!address?.includes(':')) return address ?? '';
  return ipv6Group(address, 3);
}

/** @param words how many of its eight words of 16 bits count */
function ipv6Group(address: string, words: number): string {
  const [plain = ''] = address.split('%', 1); // RFC 4007 §11: a zone may follow
  const mapped = MAPPED.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const front = wordsOf(head);
  const back = wordsOf(tail ?? '');
  // What `::` leaves out are zeros.
  const zeros = Array<number>(Math.max(0, 8 - front.length - back.length)).fill(0);
  const first = [...front, ...(tail === undefined ? [] : zeros), ...back].slice(0, words);
  return `${first.map((word) => word.toString(16)).join(':')}::/${16 * words}`;
}

/** The last may be an IPv4 address, which stands for two. */
const wordsOf = (text: string): number[] =>
  text === ''
    ? []
    : text
        .split(':')
        .flatMap((word) => (word.includes('.') ? [0, 0] : [Number.parseInt(word, 16)]));
