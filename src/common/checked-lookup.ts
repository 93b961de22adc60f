import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';

/** The name leads, at this moment, to an address that is not called. */
export class PrivateAddress extends Error {
  readonly code = 'PRIVATE_ADDRESS';
}

type LookupAll = (
  name: string,
  options: { readonly all: true; readonly verbatim: true },
  answer: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Looks a host up for a connection that is about to be made, and lets it see nothing but addresses that
 * it has checked: whoever answers another lookup otherwise (DNS rebinding) is not asked again. A name
 * with one address that is not public is refused as a whole.
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

/** Whether a URL's host is an address that is not called; nothing is looked up for such hosts. */
export function isPrivateHost(hostname: string): boolean {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(literal) !== 0 && !isPublicAddress(literal);
}
