import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Not, IsNull, type Repository } from 'typeorm';
import type { ChangingCall } from '../audit/audited.js';
import { differencesBetween } from '../audit/differences.js';
import { Clock } from '../platform/common/clock.js';
import { newId } from '../platform/database/row-ids.js';
import {
  deleteStep,
  insertStep,
  mustChange,
  updateStep,
} from '../platform/database/commit/step-of.js';
import type { Step } from '../platform/database/commit/unit.js';
import { removeRecord } from '../platform/database/shared-records.js';
import { OVERTAKEN, untilStored } from '../platform/database/commit/until-stored.js';
import { ApiError } from '../platform/errors/api-error.js';
import { ensureExpected, type ExpectedTags } from '../platform/http/versions.js';
import { changesIn, ensureAsShown } from '../platform/pages/form-base.js';
import { hiddenStepsOf, type Account } from '../platform/access/accounts/account.js';
import { Tenant } from '../tenancy/tenant.entity.js';
import { Accounts, type KnownAccount } from '../platform/access/accounts/accounts.js';
import { hashPassword } from '../platform/access/basic/password-checks.js';
import { normalizeName } from '../platform/validation/values/names.js';
import { endOtherSessions } from './sessions/session.statements.js';
import { DELETE_KEYS_OF_ACCOUNT } from './keys/key.statements.js';
import {
  ensureWithin,
  formPermissions,
  accountPermissionsOf,
  permissionFacts,
  type AccountPermissions,
} from './account-permissions.js';
import { AccountRows } from './account-rows.js';
import { AccountSetup, type FirstAccess, type FirstSignInWay } from './account-setup.js';
import { ConsoleAccount } from './console-account.entity.js';
import { VisibleAccounts, noSuchAccount } from './visible-accounts.js';

const accountChanged = () => new ApiError('E0053R', 'resource.changed');

/** Creates, changes and removes the accounts of the administration. */
@Injectable()
export class ConsoleAccounts {
  constructor(
    @InjectRepository(ConsoleAccount) private readonly rows: Repository<ConsoleAccount>,
    private readonly accounts: Accounts,
    private readonly visible: VisibleAccounts,
    private readonly setup: AccountSetup,
    private readonly accountRows: AccountRows,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError E0043R for permissions beyond those of `by`; E0045R if the name is taken or a tenant unknown */
  async create(
    { account: by, commit }: ChangingCall,
    name: string,
    { role, tenants, secondFactor = false }: AccountPermissions,
    start: FirstSignInWay,
  ): Promise<FirstAccess> {
    await ensureWithin(this.rows.manager, by, tenants);
    if (await this.accounts.known(name)) throw new ApiError('E0045R', 'account.taken');
    const now = this.clock.now();
    const id = newId(now);
    const { access, password, steps } = await this.setup.begin(id, start);
    const row: ConsoleAccount = {
      id,
      name: normalizeName(name),
      role,
      tenants: tenants ? [...tenants] : null,
      password,
      signIn: 'password',
      needsKey: secondFactor,
      identity: null,
      breakGlass: false,
      createdAt: now,
      changedAt: now,
      createdBy: by.name,
    };
    // Data of a former account of this name in the configuration must not pass to the new one.
    const unit = [
      ...this.whileOpen(tenants),
      this.forgetConfigured(name),
      removeRecord(hiddenStepsOf(row.name)),
      insertStep(this.rows, row),
      ...steps,
    ];
    const detail = { ...permissionFacts({ role, tenants, secondFactor }), start };
    if (await commit(unit, { detail })) return access;
    // A tenant was removed in the meantime.
    await ensureWithin(this.rows.manager, by, tenants);
    throw new ApiError('E0045R', 'account.taken');
  }

  /**
   * Applies the permissions that were changed in a form to an account; its sessions end.
   *
   * @param base the base of the form; without one, all these permissions are applied
   * @throws ApiError E0044R; E0045R for one of the configuration and for one's own; E0053R if others have changed
   *   the permissions since the form was shown
   */
  async change(
    { account: by, commit }: ChangingCall,
    name: string,
    permissions: AccountPermissions,
    base = '',
  ): Promise<void> {
    await untilStored('resource.changing', async () => {
      // Read before the permissions: if another account grants permissions beyond those of `by` in between, the version is
      // outdated.
      const version = await this.visible.versionOf(name);
      const known = await this.changeable(by, name);
      const before: AccountPermissions = accountPermissionsOf(known);
      const givable = (await this.visible.tenantsOf(by)).map((tenant) => tenant.name);
      const shown = formPermissions(before, givable);
      const changes = changesIn({ base, members: formPermissions(permissions, givable) });
      ensureAsShown(base, shown, { ...shown, ...changes });
      await ensureWithin(this.rows.manager, by, permissions.tenants);
      const { tenants: limits, ...others } = changes;
      // Not `limits`, which lack a tenant that was created since they were read: an empty list would mean all.
      const tenants = limits ? permissions.tenants : before.tenants;
      const after: AccountPermissions = { ...before, ...others, tenants };
      const changedAt = Math.max(this.clock.now(), version + 1);
      const { role, secondFactor: needsKey = false } = after;
      const unit = [
        ...this.whileOpen(limits ? tenants : undefined),
        mustChange(
          updateStep(
            this.rows,
            { name: known.account.name, changedAt: version },
            { role, tenants: tenants ? [...tenants] : null, needsKey, changedAt },
          ),
        ),
        this.setup.endSessions(known.account),
      ];
      const detail = differencesBetween({ ...before }, { ...after });
      return (await commit(unit, { detail })) || OVERTAKEN;
    });
  }

  /**
   * Decides whether a local account may sign in with `--console-local break-glass`.
   *
   * @throws ApiError E0044R; E0045R for an account of the OpenID provider; E0053R if others change it at the same time
   */
  async setBreakGlass(
    { account: by, commit }: ChangingCall,
    name: string,
    breakGlass: boolean,
  ): Promise<void> {
    const { account, identity } = await this.visible.find(name, by);
    if (identity !== null) throw new ApiError('E0045R', 'account.ofProvider');
    const row =
      (await this.accountRows.of(account.name)) ?? (await this.accountRows.add(account.name));
    const before = { breakGlass: row.breakGlass };
    const detail = differencesBetween(before, { breakGlass });
    const update = updateStep(this.rows, { id: row.id, ...before }, { breakGlass });
    if (!(await commit([mustChange(update)], { detail }))) throw accountChanged();
  }

  /**
   * @throws ApiError E0044R; E0045R for one of the configuration and for one's own; E0053R if none of the expected
   *   tags matches
   */
  async remove(
    { account: by, commit }: ChangingCall,
    name: string,
    expected?: ExpectedTags,
  ): Promise<void> {
    const { account, needsKey, configured } = await this.othersAccount(name, by);
    if (configured) throw new ApiError('E0045R', 'account.configured');
    const { changedAt } = await this.ensureUnchanged(account);
    ensureExpected(expected, changedAt);
    const unit = [
      // Only if unchanged: the account may have been granted permissions beyond those of `by`.
      mustChange(deleteStep(this.rows, { name: account.name, changedAt, role: Not(IsNull()) })),
      removeRecord(hiddenStepsOf(account.name)),
      this.setup.endSessions(account),
    ];
    const detail = permissionFacts(accountPermissionsOf({ account, needsKey }));
    if (!(await commit(unit, { detail }))) throw accountChanged();
  }

  /**
   * Restores access for an owner who has lost the password or a key: the account gets a new first access, its
   * password and keys are deleted, and all its sessions end.
   *
   * @returns `undefined` for an account of the configuration, which contains its password, and for one of the OpenID
   *   provider, which signs in there
   * @throws ApiError E0044R; E0045R for one's own
   */
  async reset(
    { account: by, commit }: ChangingCall,
    name: string,
    start: FirstSignInWay,
  ): Promise<FirstAccess | undefined> {
    const { account, configured, identity } = await this.othersAccount(name, by);
    if (configured || identity !== null) {
      const row = await this.accountRows.of(account.name);
      await commit([this.setup.endSessions(account), ...(row ? this.withoutKeys(row) : [])], {});
      return undefined;
    }
    const row = await this.ensureUnchanged(account);
    const { access, password, steps } = await this.setup.begin(row.id, start);
    const changedAt = Math.max(this.clock.now(), row.changedAt + 1);
    const where = { name: account.name, changedAt: row.changedAt };
    const unit = [
      // Only if unchanged: the account may have been granted permissions beyond those of `by`.
      mustChange(updateStep(this.rows, where, { password, signIn: 'password', changedAt })),
      ...steps,
      this.setup.endSessions(account),
      // After the sessions: one of them may be adding a key.
      DELETE_KEYS_OF_ACCOUNT.step({ accountId: row.id }),
    ];
    if (!(await commit(unit, { detail: { start } }))) throw accountChanged();
    return access;
  }

  /**
   * Changes one's own password. All other sessions end, and the caller replaces that of this browser.
   *
   * @throws ApiError E0045R if the current password is wrong, and for an account of the configuration
   */
  async changePassword(
    { account: by, commit }: ChangingCall,
    current: string,
    password: string,
  ): Promise<void> {
    const known = await this.accounts.find(by.name, current);
    if (!known) throw new ApiError('E0045R', 'account.wrongPassword');
    if (known.configured) throw new ApiError('E0045R', 'account.configured');
    const { id } = await this.ensureUnchanged(known.account);
    const changes = { password: await hashPassword(password) };
    const unit = [
      // If an administrator has reset the account, the old password changes nothing.
      mustChange(updateStep(this.rows, { id, password: known.password }, changes)),
      this.setup.end(id),
      endOtherSessions(by),
    ];
    if (!(await commit(unit, {}))) throw accountChanged();
  }

  /**
   * Returns the row of an account.
   *
   * @throws ApiError E0044R; E0053R if its role or tenants were changed since the account was read
   */
  private async ensureUnchanged({ name, role, tenants }: Account): Promise<ConsoleAccount> {
    const row = await this.rows.findOneBy({ name });
    if (!row) throw noSuchAccount();
    const isSame = isDeepStrictEqual([row.role, row.tenants ?? undefined], [role, tenants]);
    if (!isSame) throw accountChanged();
    return row;
  }

  private async changeable(by: Account, name: string): Promise<KnownAccount> {
    const known = await this.othersAccount(name, by);
    if (known.configured) throw new ApiError('E0045R', 'account.configured');
    if (known.identity !== null) throw new ApiError('E0045R', 'account.ofProvider');
    return known;
  }

  /** @throws ApiError E0044R; E0045R for one's own */
  private async othersAccount(name: string, by: Account): Promise<KnownAccount> {
    const known = await this.visible.find(name, by);
    if (by.name === known.account.name) throw new ApiError('E0045R', 'account.own');
    return known;
  }

  /** Locks these tenants, which must be open: a removed tenant is taken from the accounts that exist then. */
  private whileOpen(tenants: readonly string[] = []): Step[] {
    const rows = this.rows.manager.getRepository(Tenant);
    return tenants.map((name) =>
      mustChange(updateStep(rows, { name, closedAt: 0 }, { closedAt: 0 })),
    );
  }

  /** Lets an account without a password of ours sign in as if it had never had a key. */
  private withoutKeys({ id, role }: ConsoleAccount): Step[] {
    const signIn = role === null ? 'password' : 'password+key';
    return [
      DELETE_KEYS_OF_ACCOUNT.step({ accountId: id }),
      updateStep(this.rows, { id }, { signIn }),
    ];
  }

  /** Deletes the row and the keys of an account of the configuration, but not of one that was created here. */
  private forgetConfigured(name: string): Step {
    return deleteStep(this.rows, { name: normalizeName(name), role: IsNull() });
  }
}
