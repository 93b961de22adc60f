import { isIPv6 } from 'node:net';

/** An IPv4 address that is mapped into IPv6 (RFC 4291 §2.5.5.2), as sockets write it. */
const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/;
/** The first six words of one, in whichever way a proxy writes it. */
const MAPPED_WORDS = '0:0:0:0:0:ffff';

/**
 * An address as people write it: an IPv4 address mapped into IPv6 becomes IPv4 again, and a zone is cut off.
 */
export function addressOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = withoutZone(address);
  return isIPv6(plain) ? (mappedIn(wordsOf(plain)) ?? plain) : plain;
}

/**
 * The addresses that count as one caller: an IPv4 address, or the first 64 bits of an IPv6 address, the least
 * that a network is given (RFC 6177 §2), since whoever has one of its addresses has them all.
 */
export const addressGroup = (address: string | undefined): string => groupOf(address ?? '', 4);

/**
 * The most addresses that one customer can have: an IPv4 address, or the first 48 bits of an IPv6 address,
 * which a site is given (RFC 6177 §2). Others may share them, so their limit must be a multiple of that for a
 * caller.
 */
export const wideAddressGroup = (address: string | undefined): string => groupOf(address ?? '', 3);

/** @param count how many of an IPv6 address's eight words of 16 bits count */
function groupOf(address: string, count: number): string {
  if (!address.includes(':')) return address;
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = withoutZone(address);
  if (!isIPv6(plain)) return plain;
  const words = wordsOf(plain);
  return mappedIn(words) ?? `${words.slice(0, count).map(hexOf).join(':')}::/${16 * count}`;
}

/** RFC 4007 §11: a zone may follow an address. */
const withoutZone = (address: string): string => address.split('%', 1)[0] ?? '';

const hexOf = (word: number): string => word.toString(16);

/** The eight words of an IPv6 address, in whichever way it is written. */
function wordsOf(plain: string): number[] {
  const [head = '', tail] = plain.split('::');
  const front = partOf(head);
  const back = partOf(tail ?? '');
  // `::` stands for words of zeros.
  const zeros = Array<number>(Math.max(0, 8 - front.length - back.length)).fill(0);
  return tail === undefined ? front : [...front, ...zeros, ...back];
}

/** The words of a part of an IPv6 address. An IPv4 address at its end stands for two of them. */
const partOf = (text: string): number[] =>
  text === ''
    ? []
    : text
        .split(':')
        .flatMap((word) => (word.includes('.') ? twoOf(word) : [Number.parseInt(word, 16)]));

function twoOf(dotted: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

function mappedIn(words: readonly number[]): string | undefined {
  const [high = 0, low = 0] = words.slice(6);
  return words.slice(0, 6).map(hexOf).join(':') === MAPPED_WORDS
    ? [high >> 8, high & 255, low >> 8, low & 255].join('.')
    : undefined;
}
