import { Injectable } from '@nestjs/common';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Account } from '../../platform/access/accounts/account.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';

/** An entry of the relying-party picker. */
export interface PickerEntry {
  readonly domain: string;
  readonly selected: boolean;
}

/**
 * The relying parties of a page. A browser cannot send the header of the API, so the address names one. For
 * an account, relying parties of tenants that it may not see do not exist.
 */
@Injectable()
export class PageParties {
  constructor(private readonly relyingParties: RelyingPartyCache) {}

  /** All relying parties that the account may see, sorted by domain. */
  visible(account: Account): readonly RelyingParty[] {
    return this.relyingParties.visibleTo(account);
  }

  /**
   * Returns the relying party of this domain, or all if no domain is given.
   *
   * @throws ApiError E0044R if the account sees none with this domain
   */
  some(account: Account, domain: string | undefined): readonly RelyingParty[] {
    return domain === undefined ? this.visible(account) : [this.one(account, domain)];
  }

  /**
   * Returns the relying party of this domain; if no domain is given, the only one.
   *
   * @throws ApiError E0044R if the account sees none with this domain, or there are several to choose from
   */
  one(account: Account, domain: string | undefined): RelyingParty {
    const found =
      domain === undefined ? this.only(account) : this.relyingParties.findVisible(account, domain);
    if (found) return found;
    throw new ApiError('E0044R', 'relyingParty.choose');
  }

  private only(account: Account): RelyingParty | undefined {
    const [first, second] = this.visible(account);
    return second ? undefined : first;
  }

  /** The relying party to which users of this one move. */
  successorOf(rp: RelyingParty): RelyingParty | undefined {
    return this.relyingParties.current.successorOf(rp);
  }

  /** The entries of the picker; empty if there is nothing to choose. */
  choices(account: Account, domain: string | undefined): readonly PickerEntry[] {
    const visible = this.visible(account);
    if (visible.length < 2) return [];
    return visible.map((rp) => ({ domain: rp.domain, selected: rp.domain === domain }));
  }
}
