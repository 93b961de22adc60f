import { hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import type { Request } from 'express';
import { serverOptions } from '../platform/config/server-config.js';
import { ApiError } from '../platform/errors/api-error.js';
import { Refuses } from '../platform/errors/refusals.js';

const BEARER = /^Bearer +(.+)$/i;
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="ServiceFido metrics"' };

/** Lets in callers who send `--metrics-key` as a bearer token (RFC 6750); everybody, where none is set. */
@Injectable()
@Refuses('E0042R')
export class MetricsKeyGuard implements CanActivate {
  private readonly wanted: Buffer | undefined;

  constructor(@Inject(serverOptions.KEY) { metricsKey }: ConfigType<typeof serverOptions>) {
    this.wanted = metricsKey === undefined ? undefined : digestOf(metricsKey);
  }

  /** @throws ApiError E0042R */
  canActivate(context: ExecutionContext): boolean {
    if (this.wanted === undefined) return true;
    const { authorization = '' } = context.switchToHttp().getRequest<Request>().headers;
    const [, shown = ''] = BEARER.exec(authorization) ?? [];
    if (timingSafeEqual(digestOf(shown), this.wanted)) return true;
    throw new ApiError('E0042R', 'authentication.metrics', {}, { headers: CHALLENGE });
  }
}

/** A digest, since the comparison in constant time needs equal lengths. */
const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');
