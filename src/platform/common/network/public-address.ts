import { isIP, type LookupFunction } from 'node:net';
import { lookup, type LookupAddress } from 'node:dns';
import ipaddr from 'ipaddr.js';

/** RFC 4291 §2.4: the only global unicast addresses of IPv6. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** IANA's protocol assignments, of which ipaddr.js knows only some blocks. */
const PROTOCOL_ASSIGNMENTS = ipaddr.IPv6.parseCIDR('2001::/23');

/**
 * Whether an IP address belongs to the public internet, so that the server may connect to it on a caller's request.
 *
 * @param address an IP address as returned by `dns.lookup`, without brackets; any other text is not public
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address))
    return ipaddr.IPv4.parse(address).range() === 'unicast';
  // An address with a zone belongs to a link of this machine.
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return false;
  const parsed = ipaddr.IPv6.parse(address);
  return (
    parsed.range() === 'unicast' &&
    parsed.match(GLOBAL_UNICAST) &&
    !parsed.match(PROTOCOL_ASSIGNMENTS)
  );
}

/** Whether a URL's host is an IP address that is not public; for IP addresses, no lookup takes place. */
export function isPrivateHost(hostname: string): boolean {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(literal) !== 0 && !isPublicAddress(literal);
}

/** Thrown if a name resolves to an address that is not public, so that no connection is made. */
export class PrivateAddress extends Error {
  readonly code = 'PRIVATE_ADDRESS';
}

type LookupAll = (
  name: string,
  options: { readonly all: true; readonly verbatim: true },
  answer: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Looks up a host for a connection, and passes on only addresses that it has checked. The name is not looked up again,
 * so a later change of the answer (DNS rebinding) has no effect. A name is refused if any of its addresses is not
 * public.
 */
export const checkedLookup =
  (lookupAll: LookupAll = lookup): LookupFunction =>
  (name, options, callback) => {
    lookupAll(name, { all: true, verbatim: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(new PrivateAddress('the address is not a public one'), '', 0);
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
