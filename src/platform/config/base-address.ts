import type { ServerOptions } from './server-config.js';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/**
 * The address of this server for a browser. WebAuthn refuses IP addresses as domains, so a loopback host becomes
 * `localhost`.
 */
export function baseAddress({ host, port, tlsCert }: ServerOptions): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = isLoopback(host) || everywhere ? 'localhost' : host;
  return `${tlsCert ? 'https' : 'http'}://${name}:${port}`;
}

/**
 * The issuer of tokens (RFC 7519 §4.1.1): `--issuer`; without it, the address on loopback, else the
 * `--domain` or the listening address. Off loopback it is never `localhost`, which every machine is named:
 * verifiers could not tell this service's tokens from another's.
 */
export function issuerOf(options: ServerOptions): string {
  const { issuer, host, port, domain, tlsCert } = options;
  if (issuer !== undefined) return issuer;
  if (isLoopback(host)) return baseAddress(options);
  if (domain !== undefined) return `https://${domain}`;
  const name = host.includes(':') ? `[${host}]` : host;
  return `${tlsCert ? 'https' : 'http'}://${name}:${port}`;
}
