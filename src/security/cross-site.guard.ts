import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether the method by itself says that nothing is changed. */
export const isReading = ({ method }: Request): boolean => READING.has(method);

/** Whether a browser sent this, as far as it says so. */
export const isBrowser = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers['sec-fetch-site'] !== undefined || (headers['user-agent']?.includes('Mozilla/') ?? false);

/**
 * Whether a browser sent this request for another site, or may have: browsers attach HTTP Basic
 * credentials to links, images and forms of any page.
 */
function isCrossSite({ headers, host, method }: Request): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin } = headers;
  if (origin !== undefined && origin.replace(/^https?:\/\//, '') !== host) return true;
  if (`${headers['sec-purpose'] ?? ''}`.includes('prefetch')) return true;
  // Plain HTTP off loopback sends no Sec-Fetch-Site, and a GET from a page no Origin either.
  return method === 'GET' && site === undefined && isBrowser({ headers });
}

/**
 * For handlers that change something, by GET too (`manageusers`, `invoicelog=yes`): refuses what
 * another site could have caused, and a HEAD, which Express hands to the handler of GET.
 *
 * @throws ApiError E0043R
 */
export function refuseCrossSite(request: Request): void {
  if (request.method === 'HEAD') throw new ApiError('E0043R', 'HEAD changes nothing.');
  if (isCrossSite(request)) {
    throw new ApiError('E0043R', 'A page of another site may not cause changes here.');
  }
}

/** Refuses changing requests that another site could have caused (E0043R). */
@Injectable()
export class CrossSiteGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (!isReading(request)) refuseCrossSite(request);
    return true;
  }
}
