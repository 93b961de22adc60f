import { Injectable } from '@nestjs/common';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { TenantDirectory } from '../../tenancy/scope/tenant-directory.js';
import { BrokenRules } from '../../trust/findings/broken-rules.js';
import { CopiedKeys } from './copied-keys.js';
import { OperationFindings } from './operation-findings.js';
import { RevokedModels } from './revoked-models.js';

const NOBODY = { keys: [], next: undefined };
const SHOWN_COPIED = 10;

/** The findings on which an account can act. */
export type Inbox = Awaited<ReturnType<InboxService['of']>>;

/** Collects the findings of all kinds, as far as an account may see them. */
@Injectable()
export class InboxService {
  constructor(
    private readonly directory: TenantDirectory,
    private readonly copied: CopiedKeys,
    private readonly models: RevokedModels,
    private readonly rules: BrokenRules,
    private readonly operation: OperationFindings,
  ) {}

  async of(account: Account) {
    const rps = this.directory.visibleTo(account);
    const seesUsers = may(account, 'users:read');
    const limit = SHOWN_COPIED;
    const { keys, next } = seesUsers ? await this.copied.page(rps, { limit }) : NOBODY;
    return {
      copied: { keys, more: next !== undefined },
      revoked: may(account, 'models:read') ? await this.models.of(rps) : [],
      rules: seesUsers ? await this.rules.of(rps) : [],
      webhooks: await this.operation.webhooks(account),
      setup: await this.operation.setup(account, rps),
    };
  }
}
