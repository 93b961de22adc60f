import { isLoopback } from './server-options.js';
import type { ServerOptions } from './server-options.js';

/**
 * The address that people type. WebAuthn refuses IP addresses as domains, so a loopback host is
 * spelled `localhost`.
 */
export function baseAddress({ host, port, tlsCert }: ServerOptions): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = isLoopback(host) || everywhere ? 'localhost' : host;
  return `${tlsCert ? 'https' : 'http'}://${name}:${port}`;
}
