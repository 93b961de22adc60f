import { Injectable } from '@nestjs/common';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { TenantDirectory } from '../../tenancy/scope/tenant-directory.js';
import { BrokenRules, type BrokenRule } from '../../trust/findings/broken-rules.js';
import type { SetupFinding } from '../../health/setup/setup-finding.js';
import { CopiedKeys, type CopiedKey } from './copied-keys.js';
import { OperationFindings, type FailingWebhooks } from './operation-findings.js';
import { RevokedModels, type RevokedModel } from './revoked-models.js';

/** What an account should look at, and can do something about. */
export interface Inbox {
  readonly copied: { readonly keys: readonly CopiedKey[]; readonly more: boolean };
  readonly revoked: readonly RevokedModel[];
  readonly rules: readonly BrokenRule[];
  readonly webhooks: readonly FailingWebhooks[];
  readonly setup: readonly SetupFinding[];
}

const NOBODY = { keys: [], next: undefined };
const SHOWN_COPIED = 10;

/** Gathers the findings of all kinds, as far as an account may see them. */
@Injectable()
export class InboxService {
  constructor(
    private readonly directory: TenantDirectory,
    private readonly copied: CopiedKeys,
    private readonly models: RevokedModels,
    private readonly rules: BrokenRules,
    private readonly operation: OperationFindings,
  ) {}

  async of(account: Account): Promise<Inbox> {
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
