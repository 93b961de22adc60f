import type { IncomingMessage } from 'node:http';

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * Converts a request target to origin-form, which everything that reads paths expects. A target in
 * absolute-form, as sent to proxies, contains the host too, which then replaces the Host header (RFC 9112
 * §3.2.2).
 */
export function normalizeTarget(request: IncomingMessage): void {
  const { url = '/' } = request;
  if (url.startsWith('/')) return;
  const [, authority, rest] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority === undefined || rest === undefined) return;
  request.headers.host = authority;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}
