import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { PRODUCT_VERSION } from '../../project.js';
import { PrivateAddress, checkedLookup, isPrivateHost } from './public-address.js';

const lookup = checkedLookup();

/** Why a document cannot be used, as a sentence for administrators: it contains no address, which may have a password. */
export class DocumentError extends Error {}

interface DocumentRequest {
  /** The types of the document, as `Accept` names them. */
  readonly accept: string;
  readonly signal: AbortSignal;
  /** Whether private addresses are allowed too; otherwise only public ones are. */
  readonly anywhere?: boolean;
}

/**
 * Asks for a document, without following redirects and without a proxy.
 *
 * @throws PrivateAddress, or an error of Node's
 */
export async function openDocument(
  url: URL,
  { accept, signal, anywhere = false }: DocumentRequest,
): Promise<IncomingMessage> {
  if (!anywhere && isPrivateHost(url.hostname)) throw new PrivateAddress();
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const headers = { accept, 'user-agent': `ServiceFido/${PRODUCT_VERSION}` };
  return new Promise((resolve, reject) => {
    request(url, { headers, signal, agent: false, ...(!anywhere && { lookup }) })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

/** @throws DocumentError if the stream has more bytes; leaving the loop closes it */
export async function readBounded(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
  tooLarge: string,
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > most) throw new DocumentError(tooLarge);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
