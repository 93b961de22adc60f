import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a browser sent this request for another site, or may have: browsers attach HTTP Basic
 * credentials to links, images and forms of any page.
 */
export function isCrossSite({ headers, method }: Pick<Request, 'headers' | 'method'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin } = headers;
  if (origin !== undefined && origin.replace(/^https?:\/\//, '') !== headers.host) return true;
  if (`${headers['sec-purpose'] ?? ''}`.includes('prefetch')) return true;
  // Plain HTTP off loopback sends no Sec-Fetch-Site, and a GET from a page no Origin either.
  const browser = headers['user-agent']?.includes('Mozilla/') ?? false;
  return method === 'GET' && site === undefined && browser;
}

/** Refuses changing requests that another site could have caused (E0043R). */
@Injectable()
export class CrossSiteGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (!READING.has(request.method) && isCrossSite(request)) {
      throw new ApiError('E0043R', 'A page of another site may not cause changes here.');
    }
    return true;
  }
}
