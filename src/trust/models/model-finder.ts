import { Injectable } from '@nestjs/common';
import {
  MAX_MATCHES,
  SearchFinders,
  type FoundMatches,
  type SearchFinder,
  type SearchRequest,
} from '../../platform/pages/search-finders.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { ModelKeys } from '../../users/list/model-keys.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { AuthenticatorModels } from '../authenticator-models.js';

/** A shorter text is in the names of too many models. */
const WORD = /[\p{L}\p{N}]{3}/u;

/** One read each; an account that sees more relying parties finds models in the order of their names. */
const MAX_RELYING_PARTIES = 10;

/** Finds models of authenticators by words of their names, or by the AAGUID; first those with keys. */
@Injectable()
export class ModelFinder implements SearchFinder {
  readonly kind = 'models';
  readonly permission = 'models:read';

  constructor(
    private readonly models: AuthenticatorModels,
    private readonly modelKeys: ModelKeys,
    private readonly relyingParties: RelyingPartyCache,
    finders: SearchFinders,
  ) {
    finders.register(this);
  }

  async find({ text, account }: SearchRequest): Promise<FoundMatches> {
    if (!WORD.test(text) || this.models.search(text).models.length === 0) return { matches: [] };
    const { models, more } = this.models.search(text, await this.usedModels(account));
    const isMore = more > 0 || models.length > MAX_MATCHES;
    return {
      matches: models.slice(0, MAX_MATCHES).map(({ aaguid, name }) => ({
        title: name,
        address: `/userapi/aaguid/${aaguid}`,
        detail: aaguid,
      })),
      more: isMore ? `/userapi/aaguid?find=${encodeURIComponent(text)}` : undefined,
    };
  }

  private async usedModels(account: Account): Promise<ReadonlySet<string>> {
    const visible = this.relyingParties.visibleTo(account);
    if (visible.length > MAX_RELYING_PARTIES) return new Set();
    const used = await this.modelKeys.modelsOf(visible);
    return new Set(used.map(aaguidText));
  }
}
