import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { urlToHttpOptions } from 'node:url';
import { DocumentError, readBounded } from '../../platform/common/network/documents.js';
import { sha256 } from '../../platform/common/sha256.js';
import { isError } from '../../platform/errors/driver-errors.js';

/** The maximum size of a BLOB in bytes; FIDO's has about ten million. */
export const MAX_BLOB_BYTES = 32 * 1024 * 1024;
const TOO_LARGE = 'The BLOB is larger than 32 MiB.';
const FETCH_MS = 20_000;
const MAX_REDIRECTS = 3;
const WEB = /^https?:\/\//i;

/** An item of `--mds`: a web address, a file, or `upload` for BLOBs that administrators upload. */
export interface MetadataSource {
  readonly id: Buffer;
  readonly text: string;
  readonly kind: 'url' | 'file' | 'upload';
  /** The source for display: an address without its password or token. */
  readonly label: string;
}

export interface FetchedBlob {
  readonly jwt: Buffer;
  /** HTTP's entity tag; empty if there is none. */
  readonly etag: string;
}

/** Reads an item of `--mds`. */
export function metadataSource(text: string): MetadataSource {
  const id = sha256(text).subarray(0, 16);
  if (text === 'upload') return { id, text, kind: 'upload', label: text };
  if (!WEB.test(text)) return { id, text, kind: 'file', label: text };
  const url = urlOf(text);
  return { id, text, kind: 'url', label: url ? url.origin + url.pathname : 'a broken address' };
}

/**
 * Fetches the BLOB of a source without verifying it.
 *
 * @param etag entity tag of the stored BLOB
 * @returns `undefined` for an unchanged BLOB, or the source `upload`
 * @throws DocumentError, or an error of Node's
 */
export async function fetchBlob(
  { kind, text }: MetadataSource,
  etag: string,
  signal: AbortSignal,
): Promise<FetchedBlob | undefined> {
  if (kind === 'upload') return undefined;
  if (kind === 'file') return { jwt: await readBlob(createReadStream(text)), etag: '' };
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]);
  const response = await get(text, etag, timeout);
  if (response.status === 304) return undefined;
  if (!response.ok) throw new DocumentError(`The source answered with status ${response.status}.`);
  const jwt = await readBlob(response.body ?? []);
  return { jwt, etag: response.headers.get('etag') ?? '' };
}

/** Modification time, size and inode of a file; if this changes, the file has changed. Empty if there is no file. */
export async function fileStamp(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    return [mtimeMs, size, ino].join();
  } catch {
    return '';
  }
}

/**
 * Follows a few redirects, none of which may leave HTTPS. A user name and password in the address become a header, for
 * its own origin only: `fetch` would refuse them.
 */
async function get(address: string, etag: string, signal: AbortSignal): Promise<Response> {
  const { origin } = new URL(address);
  const user = authorizationOf(address);
  let url = withoutUser(address);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const headers = {
      accept: 'application/jose, text/plain, */*;q=0.1',
      ...conditional(etag),
      ...(new URL(url).origin === origin && user),
    };
    const response = await fetch(url, { redirect: 'manual', headers, signal });
    const location = response.headers.get('location');
    if (response.status < 301 || response.status > 308 || location === null) return response;
    await response.body?.cancel();
    const next = urlOf(location, url);
    if (!next || !WEB.test(next.href) || (isEncrypted(url) && next.protocol !== 'https:')) {
      throw new DocumentError('The source redirects to where no metadata is fetched from.');
    }
    url = withoutUser(next.href);
  }
  throw new DocumentError(`The source redirects more than ${MAX_REDIRECTS} times.`);
}

function authorizationOf(address: string): Record<string, string> {
  const { auth } = urlToHttpOptions(new URL(address));
  return auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
}

function withoutUser(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}

const isEncrypted = (url: string): boolean => urlOf(url)?.protocol === 'https:';

const urlOf = (text: string, base?: string): URL | undefined =>
  URL.canParse(text, base) ? new URL(text, base) : undefined;

/** Without `cache-control`, `fetch` would add `no-cache`, and some servers would send the full answer again. */
const conditional = (etag: string): Record<string, string> =>
  etag === '' ? {} : { 'if-none-match': etag, 'cache-control': 'max-age=0' };

/** @throws DocumentError if the stream has more than `MAX_BLOB_BYTES` */
export const readBlob = (stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) =>
  readBounded(stream, MAX_BLOB_BYTES, TOO_LARGE);

/**
 * Why a source could not be read, as a sentence. Of errors that are not ours it names the kind alone: their messages may
 * contain the address with its password. Node's often name the failure only in their `cause`.
 */
export function sourceFailureText(error: unknown): string {
  if (error instanceof DocumentError) return error.message;
  if (!isError(error)) return 'The source could not be read.';
  const codes = [error.cause, error].map((it) => (isError(it) ? it.code : undefined));
  const kind = codes.find((code) => typeof code === 'string') ?? error.name;
  return `The source could not be read (${kind}).`;
}
