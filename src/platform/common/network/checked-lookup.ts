import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';

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
