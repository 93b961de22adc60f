import { Injectable } from '@nestjs/common';
import { SECOND_MS } from '../platform/common/durations.js';
import { openDocument, readBounded } from '../platform/common/network/documents.js';

const TOTAL_MS = 5 * SECOND_MS;
const MAX_BYTES = 256 * 1024;

/**
 * Reads documents of Entra ID by the rules of webhooks: only from public addresses, without redirects or a proxy, within
 * five seconds and 256 KiB.
 */
@Injectable()
export class EntraSource {
  /** @throws Error if it cannot be read or is no JSON */
  async read(url: URL): Promise<unknown> {
    const signal = AbortSignal.timeout(TOTAL_MS);
    const response = await openDocument(url, { accept: 'application/json', signal });
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error(`${url.host} answered with status ${response.statusCode ?? 0}`);
    }
    const document = await readBounded(response, MAX_BYTES, 'the document is too large');
    return JSON.parse(document.toString('utf8')) as unknown;
  }
}
