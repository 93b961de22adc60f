import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import type { Request } from 'express';
import { serverOptions } from '../config/server-config.js';
import { originAllowed } from '../webauthn/origin.js';
import type { RelyingParty } from './relying-party.js';
import { resolveRelyingParty } from './resolve.js';
import { TenantDirectory } from './tenant-directory.js';

export const RP_HEADER = 'x-servicefido-relyingparty';

/** Finds whose a request is. */
@Injectable()
export class RelyingPartyFinder {
  constructor(
    private readonly directory: TenantDirectory,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /** @throws ApiError E0025R or E0026R */
  find({ headers, res }: Request): RelyingParty {
    const { origin } = headers;
    const rp = resolveRelyingParty(
      { header: headers[RP_HEADER]?.toString(), domain: this.options.domain, origin },
      this.directory.current,
      this.options.listDomains,
    );
    if (origin !== undefined && !originAllowed(origin, rp.origins)) {
      // A page of another relying party: it may not read what this one answers.
      res?.removeHeader('Access-Control-Allow-Origin');
    }
    return rp;
  }
}
