import { isIP } from 'node:net';
import type { Express, Request } from 'express';
import { plainAddress } from '../common/network/address-group.js';

/** An address with a port, as some proxies write it into `X-Forwarded-For`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/** The IP address in an item of `X-Forwarded-For`, without port and zone; `undefined` if there is none. */
export function forwardedAddress(item: string): string | undefined {
  const [, version6, version4] = WITH_PORT.exec(item) ?? [];
  const address = plainAddress(version6 ?? version4 ?? item);
  return isIP(address) === 0 ? undefined : address;
}

/**
 * Makes `request.ip` an IP address, whatever `X-Forwarded-For` contains. It may be any text if a proxy passes on what
 * it received, and `request.ip` identifies callers in limits and events. Without an address in it, the connection's
 * address is used.
 */
export function readForwardedAddresses({ request }: Express): void {
  const ofExpress: object = Object.getPrototypeOf(request);
  Object.defineProperty(request, 'ip', {
    configurable: true,
    get(this: Request): string | undefined {
      const forwarded = Reflect.get(ofExpress, 'ip', this) as string | undefined;
      return forwardedAddress(forwarded ?? '') ?? this.socket.remoteAddress;
    },
  });
}
