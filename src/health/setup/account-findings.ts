import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { DAY_MS } from '../../platform/common/durations.js';
import { Accounts } from '../../platform/access/accounts/accounts.js';
import { BreakGlass } from '../../platform/access/accounts/break-glass.js';
import { RESERVED_NAMES } from '../../platform/config/files/accounts-file.js';
import {
  readConsoleOidc,
  type GroupAccess,
} from '../../platform/config/files/console-oidc-file.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import type { SetupFinding } from './setup-finding.js';
import { accountFindings, breakGlassFindings, tenantFindings } from './state-findings.js';

/** How long the sign-in of an account for emergencies is shown. */
const BREAK_GLASS_MS = 30 * DAY_MS;

/** Findings about the accounts: those for emergencies, their names and their tenants. */
@Injectable()
export class AccountFindings {
  /** As they were at the start, which looks for findings too. */
  private groups: readonly GroupAccess[] | undefined;

  constructor(
    private readonly accounts: Accounts,
    private readonly breakGlass: BreakGlass,
    private readonly tenancy: TenancyService,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly clock: Clock,
  ) {}

  /** @throws the driver's error if the database does not answer */
  async all(): Promise<SetupFinding[]> {
    const [emergencies, lacksEmergency, tenants, named] = await Promise.all([
      this.breakGlass.signedInSince(this.clock.now() - BREAK_GLASS_MS),
      this.breakGlass.isMissing(),
      this.tenancy.listTenants(),
      Promise.all(RESERVED_NAMES.map((name) => this.accounts.known(name))),
    ]);
    const reserved = named.flatMap((known) => known?.account.name ?? []);
    return [
      ...breakGlassFindings(emergencies, lacksEmergency),
      ...accountFindings(reserved),
      ...tenantFindings(
        this.configuredTenants(),
        tenants.map(({ name }) => name),
      ),
    ];
  }

  /** The tenants to which accounts of `--accounts` and groups of `--console-oidc` are limited. */
  private configuredTenants(): ReadonlyMap<string, readonly string[]> {
    this.groups ??= readConsoleOidc(this.options)?.groups ?? [];
    return new Map([
      ...this.accounts.configuredTenants,
      ...this.groups.map(({ group, tenants = [] }) => [group, tenants] as const),
    ]);
  }
}
