import { isIP } from 'node:net';
import type { Request } from 'express';
import { plainAddress } from '../platform/common/network/address-group.js';
import { browserAndSystem } from '../platform/common/browser-name.js';
import type { ServerOptions } from '../platform/config/server-config.js';
import type { Client } from '../events/ledger.js';
import { isObject } from '../platform/validation/field-validator.js';

const CLIENT_ADDRESS = 'x-servicefido-client-address';

/** The address of the client that an application names, as it was sent. */
export const namedAddress = ({ headers, body }: Pick<Request, 'headers' | 'body'>): unknown =>
  headers[CLIENT_ADDRESS] ?? (isObject(body) ? (body['clientAddress'] ?? undefined) : undefined);

export const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && isIP(value) !== 0;

/**
 * Address and browser of a call for its events, if `--event-clients` allows it. For a call of an application, whose own
 * address and program do not describe the client, the address that it names; `undefined` if it names none.
 */
export function eventClient(
  request: Request,
  { eventClients }: Pick<ServerOptions, 'eventClients'>,
): Client | undefined {
  if (!eventClients) return undefined;
  if (request.caller?.key) {
    const named = namedAddress(request);
    return isAddress(named) ? { address: plainAddress(named), browser: null } : undefined;
  }
  const { ip, headers } = request;
  if (ip === undefined) return undefined;
  return { address: plainAddress(ip), browser: browserAndSystem(headers['user-agent'] ?? '') };
}
