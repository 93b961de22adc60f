import { Injectable } from '@nestjs/common';
import { Inventory } from '../../users/credentials/inventory.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Warning } from '../../platform/pages/page.view.js';
import type { RefusedForm } from '../../platform/pages/submit-form.js';
import { seesTenant, type Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { NO_AAGUID } from '../../webauthn/aaguid.js';
import { AuthenticatorModels } from '../authenticator-models.js';
import { MetadataService } from '../metadata/metadata.service.js';
import { AaguidList, hasUnprovedModels } from './aaguid-list.js';

/** Warning that no anchor proves the listed models, so that anyone can make a certificate that claims one. */
const UNPROVED_WARNING: Warning = {
  title: phrase('findings:unproved-models.title'),
  text: phrase('findings:textAndMend', {
    text: phrase('findings:unproved-models.text'),
    mend: phrase('findings:unproved-models.mend'),
  }),
};

interface WhitelistVisit {
  /** The search text and the models found, if there was a search. */
  readonly search?: (ReturnType<AuthenticatorModels['search']> & { find: string }) | undefined;
  /** The form that adds a model, if it is shown again because of mistakes. */
  readonly sent?: RefusedForm;
}

/** Collects the data for the page of the whitelist. */
@Injectable()
export class AaguidPages {
  constructor(
    private readonly list: AaguidList,
    private readonly models: AuthenticatorModels,
    private readonly inventory: Inventory,
    private readonly directory: RelyingPartyCache,
    private readonly metadata: MetadataService,
  ) {}

  /** @param account sees the counts and block lists of its tenants only */
  async view(account: Account, { search, sent }: WhitelistVisit) {
    const visible = this.directory.current.relyingParties.filter(({ tenant }) =>
      seesTenant(account, tenant),
    );
    const inUse = await this.countAt(new Set(visible.map(({ id }) => id.toString('hex'))));
    const mayReadUsers = may(account, 'users:read');
    const mayDecide = may(account, 'models:change') && account.tenants === undefined;
    const row = (aaguid: string, name = '') => {
      const count = inUse.get(aaguid) ?? 0;
      const unnamed = phrase(aaguid === NO_AAGUID ? 'models:notTold' : 'models:unknown');
      return {
        aaguid,
        name: name || (this.models.name(aaguid) ?? unnamed),
        icon: this.models.icon(aaguid),
        inUse: count,
        /** Address of the page with the users who have such a key, if the account may see them. */
        people: mayReadUsers && count > 0 ? `/userapi?model=${aaguid}` : undefined,
        /** Whether the authenticator does not report its model and thus cannot be listed. */
        anonymous: aaguid === NO_AAGUID,
      };
    };
    return {
      title: phrase('models:title'),
      texts: 'models',
      refused: sent !== undefined,
      typed: sent?.fields,
      faults: sent?.faults,
      find: search?.find ?? '',
      found: search && {
        rows: search.models.map(({ aaguid, name }) => ({
          ...row(aaguid, name),
          listed: this.list.has(aaguid),
        })),
        more: search.more,
      },
      styles: ['/static/css/tenants.css'],
      scripts: ['/static/js/models.js'],
      nav: { models: true },
      /** Whether there is a whitelist. */
      enabled: this.list.enabled,
      warnings: this.warnings(),
      /** Whether there is a page of metadata. */
      metadata: this.metadata.enabled,
      mayReadMetadata: may(account, 'metadata:read'),
      listed: this.list.models.map(({ aaguid, name, addedAt, addedBy }) => ({
        ...row(aaguid, name),
        addedAt: new Date(addedAt).toISOString(),
        addedBy,
      })),
      /** Models in use that are not listed, the most used first. */
      others: [...inUse.keys()]
        .filter((aaguid) => !this.list.has(aaguid))
        .map((aaguid) => row(aaguid))
        .sort((a, b) => b.inUse - a.inUse),
      /** Relying parties that block models of their own. */
      blocking: visible.flatMap(({ domain, policy }) =>
        policy.block ? [{ domain, aaguids: policy.block.value }] : [],
      ),
      /** Whether to say how an operator enables the whitelist. */
      mayEnable: !this.list.enabled && mayDecide,
      mayChange: this.list.enabled && mayDecide,
    };
  }

  /** Warnings about gaps in the protection by the list. */
  warnings(): readonly Warning[] {
    const options = { aaguid: this.list.enabled, mds: this.metadata.enabled ? ['on'] : [] };
    const { relyingParties } = this.directory.current;
    return hasUnprovedModels(options, relyingParties) ? [UNPROVED_WARNING] : [];
  }

  private async countAt(relyingParties: ReadonlySet<string>): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const { relyingParty, aaguid, n } of await this.inventory.keysByModel()) {
      if (relyingParties.has(relyingParty)) counts.set(aaguid, (counts.get(aaguid) ?? 0) + n);
    }
    return counts;
  }
}

export type AaguidPage = Awaited<ReturnType<AaguidPages['view']>>;
