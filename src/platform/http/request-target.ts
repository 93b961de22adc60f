import type { IncomingMessage } from 'node:http';

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;
/** The target that is no path (RFC 9112 §3.2.4), so that nothing answers to it. */
const ASTERISK_FORM = '*';

/**
 * Converts a request target to origin-form, which everything that reads paths expects. A target in
 * absolute-form, as sent to proxies, contains the host too, which then replaces the Host header (RFC 9112
 * §3.2.2). An address of another scheme has no path here, although Express would find one in it.
 */
export function normalizeTarget(request: IncomingMessage): void {
  const { url = '/' } = request;
  if (url.startsWith('/')) return;
  const [, authority, rest] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority === undefined || rest === undefined) {
    request.url = ASTERISK_FORM;
    return;
  }
  request.headers.host = authority;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}
