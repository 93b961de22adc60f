import type { IncomingMessage } from 'node:http';
import {
  DocumentError,
  openDocument,
  readBounded,
} from '../../platform/common/network/documents.js';
import { MAX_LIST_BYTES } from '../../webauthn/certificates/revocation-list.js';

const TOTAL_MS = 20_000;
const MAX_REDIRECTS = 3;
const PROTOCOLS: readonly string[] = ['http:', 'https:'];
const ACCEPT = 'application/pkix-crl, */*;q=0.1';

/** How a list may be fetched. */
interface Asking {
  /** Whether private addresses are allowed too; otherwise only public ones are. */
  readonly anywhere: boolean;
  readonly signal: AbortSignal;
}

/**
 * Fetches a revocation list. Lists are signed, so most are served over plain HTTP: an attacker in the middle can
 * withhold a list but not forge it. Follows a few redirects, none from HTTPS to HTTP, accepts at most 1 MiB, and
 * gives up after 20 seconds.
 *
 * @throws DocumentError, PrivateAddress, or an error of Node's
 */
export async function fetchList(address: string, { anywhere, signal }: Asking): Promise<Buffer> {
  const total = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]);
  const asking = { accept: ACCEPT, anywhere, signal: total };
  let url = new URL(address);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await openDocument(url, asking);
    const next = redirectOf(response, url);
    if (!next) return bodyOf(response);
    response.destroy();
    url = next;
  }
  throw new DocumentError(`The source redirects more than ${MAX_REDIRECTS} times.`);
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  const { location } = headers;
  if (statusCode < 301 || statusCode > 308 || location === undefined) return undefined;
  const next = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isWorse = from.protocol === 'https:' && next?.protocol !== 'https:';
  if (next && !isWorse && PROTOCOLS.includes(next.protocol)) return next;
  throw new DocumentError('The source redirects to where no list is fetched from.');
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  if (response.statusCode !== 200) {
    response.destroy();
    throw new DocumentError(`The source answered with status ${response.statusCode ?? 0}.`);
  }
  return readBounded(response, MAX_LIST_BYTES, 'The list is larger than 1 MiB.');
}
