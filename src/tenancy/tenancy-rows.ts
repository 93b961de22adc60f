import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, type Repository } from 'typeorm';
import { seesTenant, type Account } from '../platform/access/accounts/account.js';
import { Clock } from '../platform/common/clock.js';
import { randomText } from '../platform/common/random.js';
import { insertStep, mustChange, updateStep } from '../platform/database/commit/step-of.js';
import type { Step, Unit } from '../platform/database/commit/unit.js';
import { RAISE_CACHE_VERSION } from '../platform/database/cache-version.js';
import { ApiError } from '../platform/errors/api-error.js';
import { SharedRecords, replaceRecord } from '../platform/database/shared-records.js';
import { DELETE_KEYS_OF_TENANT } from './keys/application-key.statements.js';
import { RelyingPartyEntity } from './relying-party.entity.js';
import type { RelyingParty } from './relying-party.js';
import {
  ALL_ARE_FOLDED,
  DELETE_WEBHOOKS_OF_TENANT,
  LOCK_OPEN_TENANT,
  TAKE_TENANT_FROM_ACCOUNTS,
} from './tenancy.statements.js';
import { appOriginsOf } from './scope/app-origins.js';
import { Tenant } from './tenant.entity.js';

const OPEN = { closedAt: 0 };

/** Sets both columns: closing is a change. */
const closed = (at: number) => ({ closedAt: at, changedAt: at });

type Read = Pick<RelyingPartyEntity, 'id' | 'tenantId' | 'changedAt'>;

/** The record that each new audience replaces. Version 1.0 replaces it for app origins too. */
const TURN = 'app-origins';
const newTurn = () => randomText(16);
/** The record of the first start that knew confirmed apps. */
export const STORED_APPS = 'confirmed-stored-apps';

/** The state against which a change of a relying party is checked. */
export interface RelyingPartyChangeBasis {
  readonly open: readonly RelyingParty[];
  /** The turn that was taken before the relying parties were read. */
  readonly turn: readonly Step[];
}

/** Matches the row only if it is open and unchanged since it was read. */
const asRead = ({ id, tenantId, changedAt }: Read) => ({ ...OPEN, tenantId, id, changedAt });

/**
 * The rows of tenants and relying parties. Its units compare and set: they are refused if the row, or another row
 * that the change was checked against, has changed since it was read. The API exposes `changedAt` as the version:
 * unlike a counter, it never repeats after a backup is restored.
 */
@Injectable()
export class TenancyRows {
  constructor(
    @InjectRepository(Tenant) private readonly tenants: Repository<Tenant>,
    @InjectRepository(RelyingPartyEntity)
    private readonly relyingParties: Repository<RelyingPartyEntity>,
    private readonly records: SharedRecords,
    private readonly clock: Clock,
  ) {}

  allTenants(): Promise<Tenant[]> {
    return this.tenants.find({ where: OPEN, order: { name: 'ASC' } });
  }

  async tenant(name: string): Promise<Tenant | undefined> {
    const found = await this.tenants.findOneBy({ ...OPEN, name });
    // MySQL and MariaDB pad texts with blanks for comparison: there 'a ' finds 'a'.
    return found?.name === name ? found : undefined;
  }

  /** @throws ApiError E0044R if the account may see no open tenant with this name */
  async visibleTenant(account: Account, name: string): Promise<Tenant> {
    const found = await this.tenant(name);
    if (found && seesTenant(account, name)) return found;
    throw new ApiError('E0044R', 'tenant.unknown');
  }

  /**
   * Returns the IDs of a tenant's relying parties, Base64URL, for an item that is limited to them. IDs are stored
   * instead of domains, because a domain that is removed and assigned again is another relying party.
   *
   * @param domains `null` or absent: all of the tenant, including future ones
   * @returns `null` for all of the tenant
   * @throws ApiError E0045R for a domain that is not the tenant's
   */
  async idsOf(
    { id, name }: Tenant,
    domains: readonly string[] | null | undefined,
  ): Promise<string[] | null> {
    if (!domains) return null;
    const own = await this.relyingPartiesOf(id);
    return domains.map((domain) => {
      const found = own.find((rp) => rp.domain === domain);
      if (found) return found.id.toString('base64url');
      throw new ApiError('E0045R', 'tenant.noDomain', { tenant: name, domain });
    });
  }

  /**
   * Confirms, once, the app origins that earlier versions stored. An instance of 1.0 that runs beside this one writes
   * `null` too, and may not confirm what it lists.
   */
  async confirmStoredApps(): Promise<void> {
    if ((await this.records.find(STORED_APPS)) !== undefined) return;
    const unknown = { confirmedApps: IsNull() };
    const stored = await this.relyingParties.findBy({ ...OPEN, ...unknown });
    const confirming = stored.map((row) => {
      const found = { id: row.id, tenantId: row.tenantId, ...unknown };
      return updateStep(this.relyingParties, found, { confirmedApps: appOriginsOf(row) });
    });
    // If another instance that starts at the same time was faster, its unit did the same.
    await this.records.create(STORED_APPS, '', confirming);
  }

  /** The number of relying parties ever created, including removed ones. */
  countRelyingParties(): Promise<number> {
    return this.relyingParties.count();
  }

  relyingPartiesOf(tenantId: Buffer): Promise<RelyingPartyEntity[]> {
    return this.relyingParties.find({ where: { ...OPEN, tenantId }, order: { domain: 'ASC' } });
  }

  async relyingParty(tenantId: Buffer, domain: string): Promise<RelyingPartyEntity | undefined> {
    const found = await this.relyingParties.findOneBy({ ...OPEN, tenantId, domain });
    return found?.domain === domain ? found : undefined;
  }

  /** Refused if an open tenant has this name. */
  tenantInsertion(row: Tenant): Unit {
    return [insertStep(this.tenants, row), RAISE_CACHE_VERSION];
  }

  tenantUpdate({ id, changedAt }: Tenant, changes: Partial<Tenant>): Unit {
    const asFound = { ...OPEN, id, changedAt };
    return [mustChange(updateStep(this.tenants, asFound, changes)), RAISE_CACHE_VERSION];
  }

  /**
   * Closes a tenant with its relying parties, deletes its application keys and webhooks, and takes it from its
   * accounts.
   */
  tenantRemoval(found: Tenant): Unit {
    const { id, changedAt } = found;
    const quoted = JSON.stringify(found.name);
    const changes = closed(this.changeOf(found));
    return [
      mustChange(updateStep(this.tenants, { ...OPEN, id, changedAt }, changes)),
      updateStep(this.relyingParties, { ...OPEN, tenantId: id }, changes),
      DELETE_KEYS_OF_TENANT.step({ tenantId: id }),
      DELETE_WEBHOOKS_OF_TENANT.step({ tenantId: id }),
      TAKE_TENANT_FROM_ACCOUNTS.step({ name: quoted, first: `${quoted},`, further: `,${quoted}` }),
      RAISE_CACHE_VERSION,
    ];
  }

  /** Increases with each change, by at least one millisecond. */
  changeOf({ changedAt }: Pick<Read, 'changedAt'>): number {
    return Math.max(this.clock.now(), changedAt + 1);
  }

  /**
   * Takes a turn to list audiences, before the relying parties are read. No unique key ensures that one belongs to one
   * tenant: of two callers with the same turn, one stores its change, and the other must check again.
   */
  async turn(): Promise<Step[]> {
    return [replaceRecord(TURN, await this.records.findOrCreate(TURN, newTurn), newTurn())];
  }

  /** Adds the relying party to its tenant. Refused if the tenant is closed, or an open relying party has its domain. */
  insertion(row: RelyingPartyEntity, { open, turn }: RelyingPartyChangeBasis): Unit {
    return [
      ...turn,
      ...this.stillSo(row, open),
      LOCK_OPEN_TENANT.mustChange({ tenantId: row.tenantId }),
      insertStep(this.relyingParties, row),
      RAISE_CACHE_VERSION,
    ];
  }

  update(
    found: RelyingPartyEntity,
    changed: RelyingPartyEntity,
    { open, turn }: RelyingPartyChangeBasis,
  ): Unit {
    // Without the ID: for one that is set, SQLite looks at all rows that refer to it, changed or not.
    const { id, ...changes } = changed;
    const beginsToFold = changed.foldsNames === 1 && found.foldsNames === 0;
    return [
      ...turn,
      ...this.stillSo(changed, open),
      mustChange(updateStep(this.relyingParties, asRead(found), changes)),
      // Fails if a user has registered since the names were folded.
      ...(beginsToFold ? [ALL_ARE_FOLDED.mustChange({ id })] : []),
      RAISE_CACHE_VERSION,
    ];
  }

  removal(found: RelyingPartyEntity): Unit {
    const changes = closed(this.changeOf(found));
    return [
      mustChange(updateStep(this.relyingParties, asRead(found), changes)),
      RAISE_CACHE_VERSION,
    ];
  }

  /**
   * Steps for the unit that stores a relying party which takes users over: the unit fails if the
   * predecessor has changed since the check. The steps also count as a change of the predecessor, because a simultaneous
   * change or removal of it does not know of the move and must be checked again.
   */
  private stillSo(
    planned: Pick<RelyingPartyEntity, 'predecessor'>,
    open: readonly RelyingParty[],
  ): Step[] {
    const predecessor = open.find(({ domain }) => domain === planned.predecessor);
    if (!predecessor) return [];
    const changes = { changedAt: this.changeOf(predecessor) };
    return [mustChange(updateStep(this.relyingParties, asRead(predecessor), changes))];
  }
}
