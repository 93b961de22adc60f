import { Injectable } from '@nestjs/common';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Account } from '../../platform/access/accounts/account.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenantDirectory } from '../../tenancy/scope/tenant-directory.js';

/** An entry of the relying-party picker. */
export interface PickerEntry {
  readonly domain: string;
  readonly selected: boolean;
}

/**
 * The relying parties of a page. A browser cannot send the header of the API, so the address names one.
 * Relying parties of tenants that an account may not see do not exist for it.
 */
@Injectable()
export class PageScope {
  constructor(private readonly directory: TenantDirectory) {}

  /** All relying parties that the account may see, in the order of their domains. */
  visible(account: Account): readonly RelyingParty[] {
    return this.directory.visibleTo(account);
  }

  /**
   * The relying party of this domain, or all where no domain is named.
   *
   * @throws ApiError E0044R where the account sees none of this domain
   */
  some(account: Account, domain: string | undefined): readonly RelyingParty[] {
    return domain === undefined ? this.visible(account) : [this.one(account, domain)];
  }

  /**
   * The relying party of this domain; where no domain is named, the only one that there is.
   *
   * @throws ApiError E0044R where the account sees none of this domain, or there are several to choose from
   */
  one(account: Account, domain: string | undefined): RelyingParty {
    const visible = this.visible(account);
    const [first, second] = visible;
    const found = domain === undefined ? first : visible.find((rp) => rp.domain === domain);
    if (found && (domain !== undefined || !second)) return found;
    throw new ApiError('E0044R', 'relyingParty.choose');
  }

  /** What the picker offers; empty where there is nothing to choose. */
  choices(account: Account, domain: string | undefined): readonly PickerEntry[] {
    const visible = this.visible(account);
    if (visible.length < 2) return [];
    return visible.map((rp) => ({ domain: rp.domain, selected: rp.domain === domain }));
  }
}
