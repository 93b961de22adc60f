import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Request } from 'express';
import { isLoopback } from '../../config/server-options.js';
import { isDomain } from '../../validation/domain.js';

/** The relying party that the console is to its own accounts: the host by which it was called. */
export interface ConsoleHost {
  /** Its RP ID. */
  readonly domain: string;
  readonly rpIdHash: Buffer;
  readonly origins: readonly string[];
}

/**
 * A page can use keys of its own host alone, and the browser signs the origin that it shows; so that a page which
 * passes on what it was given is of another origin than the host that it calls.
 *
 * @returns `undefined` where browsers refuse keys: an IP address is no domain
 */
export function consoleHost({
  host,
  hostname,
}: Pick<Request, 'host' | 'hostname'>): ConsoleHost | undefined {
  const domain = (hostname ?? '').toLowerCase();
  if (isIP(domain) !== 0 || !(isDomain(domain) || isLoopback(domain))) return undefined;
  const [, port = ''] = /(:\d{1,5})?$/.exec(host ?? '') ?? [];
  // Which of both it was a proxy may not say: a browser has no keys over plain HTTP but at home.
  const schemes = isLoopback(domain) ? ['https', 'http'] : ['https'];
  return {
    domain,
    rpIdHash: hash('sha256', domain, 'buffer'),
    origins: schemes.map((scheme) => `${scheme}://${domain}${port}`),
  };
}
