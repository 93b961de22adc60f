import { Get } from '@nestjs/common';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../platform/pages/page.interceptor.js';
import { Deletions } from '../../users/deletions/deletions.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { userEntry } from './addresses.js';
import { USERS_PAGE, userPermissions } from './page-frame.js';
import { deletionNotice } from './deletion.view.js';
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
    return {
      title: phrase('undo:recent.title'),
      ...USERS_PAGE,
      tab: { deleted: true },
      permissions: userPermissions(account),
      deleted: newest.slice(0, MAX).map((one) => {
        const { name, domain, displayName, address } = userEntry(one);
        const page = { name, domain, account, models: this.models };
        return { ...deletionNotice(one, page), displayName, address };
      }),
      /** The number of entries if the list is truncated; `undefined` if it is complete. */
      most: newest.length >= MAX ? MAX : undefined,
    };
  }
}
