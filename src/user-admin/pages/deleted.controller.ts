import { Get } from '@nestjs/common';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../platform/pages/page.interceptor.js';
import { Deletions } from '../../users/deletions/deletions.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import type { KeptDeletion } from '../../users/deletions/deletion-steps.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { userEntry } from './addresses.js';
import { USERS_PAGE, userPermissions } from './page-frame.js';
import { MAX_UNDONE, deletionNotice } from './deletion.view.js';
import { PageScope } from './page-scope.js';

/** The maximum number of users on the page; all others can be found by name. */
const MAX = 100;

/** The page of users whose deletion can still be undone, newest first. */
@PageController('userapi/deleted', 'users:read')
export class DeletedController {
  constructor(
    private readonly scope: PageScope,
    private readonly deletions: Deletions,
    private readonly models: AuthenticatorModels,
  ) {}

  @Get()
  @Page('deleted')
  async show(@CurrentAccount() account: Account) {
    const rps = this.scope.visible(account);
    const found = await Promise.all(rps.map((rp) => this.deletions.recent(rp, MAX)));
    const newest = found.flat().sort((a, b) => Buffer.compare(b.id, a.id));
    const permissions = userPermissions(account);
    return {
      title: phrase('undo:recent.title'),
      ...USERS_PAGE,
      tab: { deleted: true },
      permissions,
      together: permissions.users ? await this.together(newest.slice(0, MAX), rps) : [],
      deleted: newest.slice(0, MAX).map((one) => {
        const { name, domain, displayName, address } = userEntry(one);
        const page = { name, domain, account, models: this.models };
        return { ...deletionNotice(one, page), displayName, address };
      }),
      /** The number of entries if the list is truncated; `undefined` if it is complete. */
      most: newest.length >= MAX ? MAX : undefined,
    };
  }

  /** Lists and selections of which several users can still be brought back at once, the newest first. */
  private async together(newest: readonly KeptDeletion[], rps: readonly RelyingParty[]) {
    const isRepeated = ({ occasion }: KeptDeletion, n: number) =>
      newest.findIndex((one) => one.occasion === occasion) < n;
    const occasions = new Map(newest.filter(isRepeated).map((one) => [one.occasion, one]));
    const groups = await Promise.all(
      [...occasions.values()].map(async ({ occasion, account, at }) => {
        const all = await this.deletions.ofOccasion(occasion, MAX_UNDONE);
        const visible = all.filter((one) => rps.some(({ id }) => id.equals(one.relyingPartyId)));
        return { occasion, account, at: new Date(at).toISOString(), count: visible.length };
      }),
    );
    return groups.filter(({ count }) => count > 1);
  }
}
