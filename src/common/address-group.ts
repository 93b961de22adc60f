import { isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/**
 * An address as people write it: an IPv4 address mapped into IPv6 becomes IPv4 again, and a zone is cut off.
 */
export function addressOf(address: string): string {
  const [plain = ''] = address.split('%', 1);
  return MAPPED.exec(plain)?.[1] ?? plain;
}

/**
 * The addresses that count as one caller: an IPv4 address, or the first 64 bits of an IPv6 address, the least
 * that a network is given (RFC 6177 §2), since whoever has one of its addresses has them all.
 */
export function addressGroup(address: string | undefined): string {
  if (!address?.includes(':')) return address ?? '';
  return ipv6Group(address, 4);
}

/**
 * The most addresses that one customer can have: an IPv4 address, or the first 48 bits of an IPv6 address,
 * which a site is given (RFC 6177 §2). Others may share them, so their limit must be a multiple of that for a
 * caller.
 */
export function wideAddressGroup(address: string | undefined): string {
  if (!address?.includes(':')) return address ?? '';
  return ipv6Group(address, 3);
}

/** @param words how many of the address's eight words of 16 bits count */
function ipv6Group(address: string, words: number): string {
  const [plain = ''] = address.split('%', 1); // RFC 4007 §11: a zone may follow
  const mapped = MAPPED.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const front = wordsOf(head);
  const back = wordsOf(tail ?? '');
  // `::` stands for words of zeros.
  const zeros = Array<number>(Math.max(0, 8 - front.length - back.length)).fill(0);
  const first = [...front, ...(tail === undefined ? [] : zeros), ...back].slice(0, words);
  return `${first.map((word) => word.toString(16)).join(':')}::/${16 * words}`;
}

/**
 * The words of a part of an IPv6 address. An IPv4 address at its end stands for two words, which never count.
 */
const wordsOf = (text: string): number[] =>
  text === ''
    ? []
    : text
        .split(':')
        .flatMap((word) => (word.includes('.') ? [0, 0] : [Number.parseInt(word, 16)]));
