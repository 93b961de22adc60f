import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { ChangingCall } from '../audit/audited.js';
import { falseIfTaken } from '../platform/database/commit/unique-violation.js';
import { Database } from '../platform/database/database.js';
import { serverOptions, type ServerOptions } from '../platform/config/server-config.js';
import { ApiError } from '../platform/errors/api-error.js';
import { sentenceOf, type Reason } from '../platform/errors/reasons.js';
import { normalizeOrigins } from '../platform/validation/values/domain.js';
import { OPERATOR_ACCOUNT } from '../platform/access/accounts/account.js';
import { AdminAccount } from '../platform/access/accounts/admin-account.js';
import { normalizedWarnings } from './origin-warnings.js';
import { defaultOrigins } from './relying-party.js';
import { TenancyRows } from './tenancy-rows.js';
import { TenancyService } from './tenancy.service.js';
import { RelyingPartyCache } from './scope/relying-party-cache.js';

const TENANT = 'default';

/**
 * The call of a start. Its changes have no row in the audit trail: they are the options of whoever runs the server, and
 * a start with a key must not wait for `audit seal`.
 */
export const startCall = (database: Database): ChangingCall => ({
  account: OPERATOR_ACCOUNT,
  about: () => undefined,
  commit: (change) => falseIfTaken(database.commit(change, { ownTransaction: true })),
});

/**
 * Creates what only a server may create: the generated password, and the relying party of `--domain` in tenant
 * `default`, to which it adds the origins of `--origin` if it exists. Without `--domain`, creates `localhost` in an
 * empty database, so the demo works immediately. The first start after an upgrade from 1.0 confirms the stored app
 * origins.
 */
@Injectable()
export class FirstStart implements OnModuleInit {
  private readonly logger = new Logger(FirstStart.name);

  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly rows: TenancyRows,
    private readonly relyingParties: RelyingPartyCache,
    private readonly admin: AdminAccount,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.admin.ensurePassword();
    await this.rows.confirmStoredApps();
    await this.relyingParties.refresh();
    const { domain } = this.options;
    if (domain !== undefined) await this.create(domain);
    else if (await this.tenancy.isUntouched()) await this.create('localhost');
    // From the first request on, also know what another instance created while both were starting.
    await this.relyingParties.refresh();
  }

  private async create(domain: string): Promise<void> {
    const existing = this.relyingParties.current.find(domain);
    const added = normalizeOrigins(this.options.origin);
    for (const warning of normalizedWarnings({ origins: [...this.options.origin] })) {
      this.logger.warn(`--origin: ${sentenceOf(warning)}`);
    }
    const origins = [...defaultOrigins(domain), ...added];
    const call = startCall(this.database);
    if (existing) {
      const missing = (listed: readonly string[]) =>
        added.filter((origin) => !listed.includes(origin));
      if (missing(existing.listedOrigins).length === 0) return;
      // Another instance that starts at the same time may add others.
      await this.tenancy.changeRelyingParty(call, existing.tenant, domain, (found) => ({
        origins: [...found.origins, ...missing(found.origins)],
      }));
      return;
    }
    await ignoreTaken(this.tenancy.addTenant(call, { tenant: TENANT, displayName: 'Default' }));
    if (await ignoreTaken(this.tenancy.addRelyingParty(call, TENANT, { domain, origins })))
      this.logger.log(`Relying party ${domain} was created in tenant ${TENANT}`);
  }
}

const TAKEN: readonly Reason[] = ['tenant.taken', 'relyingParty.taken'];

/** @returns `undefined` if another instance that starts at the same time has created it first */
async function ignoreTaken<T>(creation: Promise<T>): Promise<T | undefined> {
  try {
    return await creation;
  } catch (error) {
    if (error instanceof ApiError && TAKEN.includes(error.problem.reason)) return undefined;
    throw error;
  }
}
