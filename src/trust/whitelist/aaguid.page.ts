import { Injectable } from '@nestjs/common';
import { Inventory } from '../../users/credentials/inventory.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Warning } from '../../platform/pages/page.view.js';
import { seesTenant, type Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { TenantDirectory } from '../../tenancy/scope/tenant-directory.js';
import { AuthenticatorModels, type FoundModels } from '../authenticator-models.js';
import { MetadataReport } from '../metadata/metadata-report.js';
import { AaguidList } from './aaguid-list.js';
import { UNPROVED_WARNING, hasUnprovedModels } from './unproved-models.js';

const MODEL_NOT_REPORTED = phrase('models:notTold');
const UNKNOWN = phrase('models:unknown');
const ANONYMOUS = '00000000-0000-0000-0000-000000000000';

interface ModelSearchPage extends FoundModels {
  readonly find: string;
}

/** Collects the data for the page of the whitelist. */
@Injectable()
export class AaguidPages {
  constructor(
    private readonly list: AaguidList,
    private readonly models: AuthenticatorModels,
    private readonly inventory: Inventory,
    private readonly directory: TenantDirectory,
    private readonly metadata: MetadataReport,
  ) {}

  /**
   * @param account sees the counts and block lists of its tenants only
   * @param search the search text and the models found, if there was a search
   */
  async view(account: Account, search?: ModelSearchPage) {
    const visible = this.directory.current.relyingParties.filter(({ tenant }) =>
      seesTenant(account, tenant),
    );
    const inUse = await this.countAt(new Set(visible.map(({ id }) => id.toString('hex'))));
    const row = (aaguid: string, name = '') => ({
      aaguid,
      name:
        name || (this.models.name(aaguid) ?? (aaguid === ANONYMOUS ? MODEL_NOT_REPORTED : UNKNOWN)),
      icon: this.models.icon(aaguid),
      inUse: inUse.get(aaguid) ?? 0,
      /** Address of the page with the users who have such a key, if the account may see them. */
      people: peopleWith(aaguid, { n: inUse.get(aaguid) ?? 0, account }),
      /** Whether the authenticator does not report its model and thus cannot be listed. */
      anonymous: aaguid === ANONYMOUS,
    });
    return {
      title: phrase('models:title'),
      texts: 'models',
      find: search?.find ?? '',
      found: search && this.rowsOf(search, row),
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
      mayChange:
        this.list.enabled && may(account, 'models:change') && account.tenants === undefined,
    };
  }

  private rowsOf<Row extends object>(
    { models, more }: ModelSearchPage,
    row: (aaguid: string, name?: string) => Row,
  ) {
    const rows = models.map(({ aaguid, name }) => ({
      ...row(aaguid, name),
      listed: this.list.has(aaguid),
    }));
    return { rows, more };
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

/** Address of the page that lists the users who have a key of a model. */
const peopleWith = (
  aaguid: string,
  { n, account }: { readonly n: number; readonly account: Account },
): string | undefined =>
  n > 0 && may(account, 'users:read') ? `/userapi?model=${aaguid}` : undefined;

export type AaguidPage = Awaited<ReturnType<AaguidPages['view']>>;
