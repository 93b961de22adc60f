import { Inject, Injectable } from '@nestjs/common';
import { DatabaseFindings } from '../../health/setup/database-findings.js';
import { optionFindings } from '../../health/setup/option-findings.js';
import { hiddenStepsOf, type Account } from '../../platform/access/accounts/account.js';
import { may, type Permission } from '../../platform/access/permissions.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { SharedRecords } from '../../platform/database/shared-records.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { ApplicationKeys } from '../../tenancy/keys/application-keys.js';
import { tenantAddress } from '../tenancy/tenants.view.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';

/** A recommended step after the first sign-in. */
interface FirstStep {
  readonly name: 'domain' | 'registration' | 'key' | 'tls' | 'backup';
  readonly permission: Permission;
  /** The place that says what to do; absent if the text of the step is all there is. */
  readonly address?: string | undefined;
  readonly isDone: boolean;
  /** The domain that its text names. */
  readonly domain?: string;
  /** Whether it concerns the whole installation. */
  readonly forAll?: true;
}

const isDecided = ({ policy }: RelyingParty): boolean =>
  policy.registration !== undefined || policy.callers === 'keys';

const withTexts = ({ name, address, isDone, domain }: FirstStep) => ({
  title: phrase(`dashboard:first.${name}.title`),
  text: domain
    ? phrase(`dashboard:first.${name}.textAt`, { domain })
    : phrase(`dashboard:first.${name}.text`),
  go: phrase(`dashboard:first.${name}.go`),
  address,
  isDone,
});

/** The list of first steps on the dashboard, ticked according to the server's state. */
@Injectable()
export class FirstSteps {
  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly relyingParties: RelyingPartyCache,
    private readonly keys: ApplicationKeys,
    private readonly databaseFindings: DatabaseFindings,
    private readonly records: SharedRecords,
  ) {}

  /**
   * Returns the steps that the account may do, and their progress; `undefined` once all are done or the account has
   * hidden them.
   *
   * @param origin the origin at which the account reached the server
   */
  async of(account: Account, origin: string) {
    if (!may(account, 'tenants:change')) return undefined;
    if ((await this.records.find(hiddenStepsOf(account.name))) !== undefined) return undefined;
    const known = [...(await this.ofTenants(account)), ...(await this.ofServer(origin))];
    const own = known.filter(
      ({ permission, forAll }) => may(account, permission) && !(forAll && account.tenants),
    );
    const steps = own.map(withTexts);
    const next = steps.find(({ isDone }) => !isDone);
    const done = own.filter(({ isDone }) => isDone).length;
    return next && { steps, done, count: own.length, next: next.title };
  }

  /** Hides the list from an account permanently. */
  async hide(account: Account): Promise<void> {
    await this.records.findOrCreate(hiddenStepsOf(account.name), () => 'hidden');
  }

  private async ofTenants(account: Account): Promise<FirstStep[]> {
    const parties = this.relyingParties.visibleTo(account);
    const own = parties.filter(({ domain }) => domain !== 'localhost');
    const ownFirst = [...own, ...parties];
    const [first] = ownFirst;
    const isOpen = this.options.registration === 'open';
    const undecided = isOpen ? ownFirst.find((rp) => !isDecided(rp)) : undefined;
    const registered = undecided ?? first;
    return [
      {
        name: 'domain',
        permission: 'tenants:change',
        address: first ? tenantAddress(first.tenant) : '/tenants',
        isDone: own.length > 0,
      },
      {
        name: 'registration',
        permission: 'policies:change',
        address: registered
          ? `${tenantAddress(registered.tenant, registered.domain)}/registration`
          : '/tenants',
        ...(undecided && { domain: undecided.domain }),
        isDone: first !== undefined && !undecided,
      },
      {
        name: 'key',
        permission: 'application-keys:change',
        address: first ? `${tenantAddress(first.tenant, first.domain)}/handover` : '/tenants',
        isDone: (await this.keys.list(account, { revoked: 'no' })).length > 0,
      },
    ];
  }

  /** Whether backups are made is known only if this server makes them. */
  private async ofServer(origin: string): Promise<FirstStep[]> {
    const backup = await this.databaseFindings.lastBackup();
    const common = { permission: 'setup:read', forAll: true } as const;
    const isEncrypted = origin.startsWith('https:');
    const address = isEncrypted ? '/status' : this.encryptionFinding();
    const tls: FirstStep = { ...common, name: 'tls', address, isDone: isEncrypted };
    if (backup === null) return [tls];
    const isDone = backup !== undefined;
    const place = isDone ? '/status#server-heading' : '/status#finding-no-backup';
    return [tls, { ...common, name: 'backup', address: place, isDone }];
  }

  /** The finding that nothing is encrypted; the setup has none if only this machine reaches the server. */
  private encryptionFinding(): string | undefined {
    const isFound = optionFindings(this.options).some(({ name }) => name === 'no-encryption');
    return isFound ? '/status#finding-no-encryption' : undefined;
  }
}
