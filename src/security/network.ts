import { isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/**
 * The network that one customer has: an IPv4 address by itself, of an IPv6 address the first 64 bits
 * (RFC 6177 §2: nobody gets less), or else one machine would have more addresses than can be counted.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%'); // RFC 4007 §11: a zone may follow
  const mapped = MAPPED.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const left = head.split(':').filter(Boolean);
  // What `::` leaves out are zeros, so that the first half is known without the second.
  const zeros = tail === undefined ? 0 : 8 - left.length - tail.split(':').filter(Boolean).length;
  const groups = [
    ...left,
    ...Array<string>(Math.max(0, zeros)).fill('0'),
    ...(tail ?? '').split(':'),
  ];
  const first = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${first.join(':')}::/64`;
}
