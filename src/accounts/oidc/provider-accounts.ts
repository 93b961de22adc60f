import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Request } from 'express';
import type { Repository } from 'typeorm';
import { differencesBetween } from '../../audit/differences.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { callerFields } from '../../audit/request-rows.js';
import { hiddenStepsOf } from '../../platform/access/accounts/account.js';
import { Accounts, type KnownAccount } from '../../platform/access/accounts/accounts.js';
import { Clock } from '../../platform/common/clock.js';
import { sha256 } from '../../platform/common/sha256.js';
import { PROVIDER_SUFFIX } from '../../platform/config/files/accounts-file.js';
import { ConsoleOidc, type GroupAccess } from '../../platform/config/files/console-oidc-file.js';
import { insertStep, mustChange, updateStep } from '../../platform/database/commit/step-of.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import { newId } from '../../platform/database/row-ids.js';
import { removeRecord } from '../../platform/database/shared-records.js';
import { isName, normalizeName, truncateUtf8 } from '../../platform/validation/values/names.js';
import { permissionFacts } from '../account-permissions.js';
import { AccountSetup } from '../account-setup.js';
import { ConsoleAccount } from '../console-account.entity.js';
import type { ProviderAnswer } from './identity-provider.js';
import { ProviderLogouts } from './provider-logouts.js';

/** Leaves room for the digest and the suffix in a name of 255 bytes. */
const MAX_NAME_BYTES = 200;

/** The accounts of the OpenID provider. An account is an issuer and a subject; its name only shows it. */
@Injectable()
export class ProviderAccounts {
  constructor(
    @InjectRepository(ConsoleAccount) private readonly rows: Repository<ConsoleAccount>,
    private readonly settings: ConsoleOidc,
    private readonly accounts: Accounts,
    private readonly setup: AccountSetup,
    private readonly logouts: ProviderLogouts,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Changes with the settings by which groups are judged. */
  get version(): string {
    return this.settings.version;
  }

  /** The line of the table that applies to a member of these groups: the first; `undefined` if there is none. */
  accessOf({ groups }: Pick<ProviderAnswer, 'groups'>): GroupAccess | undefined {
    return this.settings.groups.find(({ group }) => groups.includes(group));
  }

  async find(subject: string): Promise<ConsoleAccount | undefined> {
    return (await this.rows.findOneBy({ identity: this.identityOf(subject) })) ?? undefined;
  }

  /**
   * Gives the account of a user this access; creates it at the first sign-in. If the access changes, all sessions of
   * the account end.
   */
  async grant(
    request: Request,
    answer: ProviderAnswer,
    access: GroupAccess,
  ): Promise<KnownAccount> {
    const { subject } = answer;
    // Others may create or change it meanwhile; each round reads it again.
    for (const name of namesOf(answer, this.settings, this.identityOf(subject))) {
      const row = await this.find(subject);
      const isStored = row
        ? await this.change(request, row, access)
        : await this.create(request, { name, subject }, access);
      if (!isStored) continue;
      const known = await this.accounts.known(row?.name ?? name);
      if (known?.identity === this.identityOf(subject)) return known;
    }
    throw new Error('the account changes too often');
  }

  /**
   * Ends all sessions of an account to which the table gives nothing any longer, and the sign-ins that are under way for
   * it; does nothing if there is none.
   */
  async withdraw(request: Request, subject: string): Promise<ConsoleAccount | undefined> {
    return untilStored('resource.changing', async () => {
      const row = await this.find(subject);
      if (!row) return undefined;
      const detail = { way: 'oidc', why: 'no group' };
      const isStored = await this.trail.commit(
        [{ ...callerOf(request, row), action: 'console.sign-out', detail }],
        [...(await this.logouts.notingUser(subject)), this.setup.endSessions(row)],
      );
      return isStored ? row : OVERTAKEN;
    });
  }

  identityOf(subject: string): string {
    return `${this.settings.issuer} ${subject}`;
  }

  /** @returns `false` if the name or the identity is taken */
  private create(
    request: Request,
    { name, subject }: { readonly name: string; readonly subject: string },
    access: GroupAccess,
  ): Promise<boolean> {
    const now = this.clock.now();
    const { issuer } = this.settings;
    const row: ConsoleAccount = {
      id: newId(now),
      name,
      password: null,
      // No password fits, and no key is enough, not even for an instance of an earlier version.
      signIn: 'password+key',
      ...this.permissionsOf(access),
      identity: this.identityOf(subject),
      breakGlass: false,
      createdAt: now,
      changedAt: now,
      createdBy: issuer,
    };
    const entry: AuditEntry = {
      ...callerOf(request, row),
      action: 'account.create',
      detail: { ...factsOf(row), issuer, subject },
    };
    return this.trail.commit(
      [entry],
      [removeRecord(hiddenStepsOf(name)), insertStep(this.rows, row)],
    );
  }

  /** @returns `false` if others have changed the account meanwhile */
  private async change(
    request: Request,
    row: ConsoleAccount,
    access: GroupAccess,
  ): Promise<boolean> {
    const permissions = this.permissionsOf(access);
    const detail = differencesBetween(factsOf(row), factsOf(permissions));
    if (Object.keys(detail).length === 0) return true;
    const changedAt = Math.max(this.clock.now(), row.changedAt + 1);
    const { id, changedAt: version } = row;
    return this.trail.commit(
      [{ ...callerOf(request, row), action: 'account.change', detail }],
      [
        mustChange(
          updateStep(this.rows, { id, changedAt: version }, { ...permissions, changedAt }),
        ),
        this.setup.endSessions(row),
      ],
    );
  }

  private permissionsOf({ role, tenants, secondFactor }: GroupAccess) {
    const { acr, amr } = this.settings.proofs;
    return {
      role,
      tenants: tenants ? [...tenants] : null,
      // Where the provider proves no factor, a key of this console is the only one.
      needsKey: secondFactor && acr.length + amr.length === 0,
    };
  }
}

type Permissions = Pick<ConsoleAccount, 'role' | 'tenants' | 'needsKey'>;

const factsOf = ({ role, tenants, needsKey }: Permissions) =>
  permissionFacts({
    role: role ?? 'auditor',
    tenants: tenants ?? undefined,
    secondFactor: needsKey,
  });

const callerOf = (request: Request, { name, role }: Pick<ConsoleAccount, 'name' | 'role'>) => ({
  ...callerFields(request, { name, role: role ?? '' }),
  target: name,
  result: 'ok' as const,
});

/**
 * The names that a new account may have, in order: the user's own one, and for namesakes one with a digest of the
 * identity.
 */
function namesOf(
  { profile, subject }: ProviderAnswer,
  { claims }: ConsoleOidc,
  identity: string,
): string[] {
  const plain = [profile[claims.name], profile['email'], subject].map(readableName).find(isName);
  const digest = sha256(identity).toString('hex').slice(0, 8);
  const own = plain ?? 'account';
  return [own, `${own} ${digest}`, `${own} ${digest}`].map((name) => name + PROVIDER_SUFFIX);
}

/** RFC 7617 §2: a name contains no colon. */
const readableName = (claim: unknown): string =>
  typeof claim === 'string'
    ? truncateUtf8(MAX_NAME_BYTES, normalizeName(claim.replaceAll(':', '.'))).trim()
    : '';
