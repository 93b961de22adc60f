import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address in its usual form: an IPv4 address mapped into IPv6 becomes IPv4 again, and a zone is removed. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const plain = withoutZone(address);
  if (!ipaddr.IPv6.isValid(plain)) return plain;
  const parsed = ipaddr.IPv6.parse(plain);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : plain;
}

/** An address with a port, as some proxies write it into `X-Forwarded-For`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/** The IP address in an item of `X-Forwarded-For`, without port and zone; `undefined` if there is none. */
export function forwardedAddress(item: string): string | undefined {
  const [, version6, version4] = WITH_PORT.exec(item) ?? [];
  const address = plainAddress(version6 ?? version4 ?? item);
  return isIP(address) === 0 ? undefined : address;
}

/**
 * The addresses that count as one caller: an IPv4 address, or the first 64 bits of an IPv6 address, the smallest
 * allocation to a network (RFC 6177 §2), since a network that has one of its addresses has them all.
 */
export const addressGroup = (address: string | undefined): string => groupOf(address ?? '', 4);

/**
 * The largest group of addresses of one customer: an IPv4 address, or the first 48 bits of an IPv6 address, the
 * allocation to a site (RFC 6177 §2). Others may share them, so their limit must be a multiple of a caller's
 * limit.
 */
export const wideAddressGroup = (address: string | undefined): string => groupOf(address ?? '', 3);

/** @param count how many of an IPv6 address's eight words of 16 bits count */
function groupOf(address: string, count: number): string {
  const written = plainAddress(address);
  if (!ipaddr.IPv6.isValid(written)) return written;
  const words = ipaddr.IPv6.parse(written).parts.slice(0, count);
  return `${words.map((word) => word.toString(16)).join(':')}::/${16 * count}`;
}

/** RFC 4007 §11: a zone may follow an address. */
const withoutZone = (address: string): string => address.split('%', 1)[0] ?? '';
