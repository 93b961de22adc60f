import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { Injectable } from '@nestjs/common';
import { SECOND_MS } from '../platform/common/durations.js';
import { checkedLookup } from '../platform/common/network/public-address.js';
import { PRODUCT_VERSION } from '../platform/project.js';

const TOTAL_MS = 5 * SECOND_MS;
const MAX_BYTES = 256 * 1024;
const lookup = checkedLookup();

/**
 * Reads documents of Entra ID by the rules of webhooks: only from public addresses, without redirects or a proxy, within
 * five seconds and 256 KiB.
 */
@Injectable()
export class EntraSource {
  /** @throws Error if it cannot be read or is no JSON */
  async read(url: URL): Promise<unknown> {
    const response = await get(url);
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error(`${url.host} answered with status ${response.statusCode ?? 0}`);
    }
    return JSON.parse(await textOf(response)) as unknown;
  }
}

function get(url: URL): Promise<IncomingMessage> {
  const headers = { accept: 'application/json', 'user-agent': `ServiceFido/${PRODUCT_VERSION}` };
  const signal = AbortSignal.timeout(TOTAL_MS);
  return new Promise((resolve, reject) => {
    request(url, { headers, signal, lookup, agent: false })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) {
    text += String(part);
    if (text.length > MAX_BYTES) throw new Error('the document is too large');
  }
  return text;
}
