import ipaddr from 'ipaddr.js';

/** RFC 4291 §2.4: the only global unicast addresses of IPv6. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** IANA's protocol assignments, of which ipaddr.js names only some blocks. */
const PROTOCOL_ASSIGNMENTS = ipaddr.IPv6.parseCIDR('2001::/23');

/**
 * Whether an IP address belongs to the public internet, so that the server may connect to it for a stranger.
 *
 * @param address an IP address as `dns.lookup` returns it, without brackets; any other text is not public
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address))
    return ipaddr.IPv4.parse(address).range() === 'unicast';
  // An address with a zone belongs to one of this machine's own links.
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.IPv6.parse(address);
  return (
    parsed.range() === 'unicast' &&
    parsed.match(GLOBAL_UNICAST) &&
    !parsed.match(PROTOCOL_ASSIGNMENTS)
  );
}
