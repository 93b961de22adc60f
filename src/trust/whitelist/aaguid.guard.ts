import { Injectable } from '@nestjs/common';
import type { CanActivate } from '@nestjs/common';
import { ApiError } from '../../platform/errors/api-error.js';
import { Refuses } from '../../platform/errors/refusals.js';
import { AaguidList } from './aaguid-list.js';

/** The refusal where there is no whitelist. */
export const whitelistOff = (): ApiError => new ApiError('E0046R', 'whitelist.off');

/** Refuses with E0046R where the server was started without `--aaguid on`. */
@Injectable()
@Refuses('E0046R')
export class AaguidGuard implements CanActivate {
  constructor(private readonly list: AaguidList) {}

  canActivate(): boolean {
    if (this.list.enabled) return true;
    throw whitelistOff();
  }
}
