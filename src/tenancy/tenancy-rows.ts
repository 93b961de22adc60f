import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../platform/common/clock.js';
import { randomText } from '../platform/common/random.js';
import { newId } from '../platform/database/columns.js';
import { insertStep, updateStep } from '../platform/database/commit/step-of.js';
import type { Step } from '../platform/database/commit/unit.js';
import { DirectoryVersion } from '../platform/database/directory-version.js';
import { SharedRecords, replaceRecord } from '../platform/database/shared-records.js';
import { DELETE_KEYS_OF_TENANT } from './keys/application-key.statements.js';
import { RelyingPartyEntity } from './relying-party.entity.js';
import type { RelyingParty } from './relying-party.js';
import { ADD_RELYING_PARTY, DELETE_WEBHOOKS_OF_TENANT } from './tenancy.statements.js';
import { Tenant } from './tenant.entity.js';
import { allAreFolded } from './usernames/folded-names.js';

const OPEN = { closedAt: 0 };

/** Sets both: what is closed has changed. */
const closed = (at: number) => ({ closedAt: at, changedAt: at });

type Read = Pick<RelyingPartyEntity, 'id' | 'tenantId' | 'changedAt'>;

/** The record that each change of app origins replaces. */
const APPS = 'app-origins';
const newTurn = () => randomText(16);

/** What a change of a relying party is checked against. */
export interface RelyingPartyChangeBasis {
  readonly open: readonly RelyingParty[];
  /** The turn that was taken before they were read. */
  readonly turn: readonly Step[];
}

/** Its row, unless somebody has changed or closed it since. */
const asRead = ({ id, tenantId, changedAt }: Read) => ({ ...OPEN, tenantId, id, changedAt });

/**
 * The rows of tenants and relying parties. Both are changed by compare-and-set: `false` says that the row, or
 * another one that the change was checked against, has changed since it was read. `changedAt` is the version
 * that the API shows: unlike a count, it cannot come back after a backup was restored.
 */
@Injectable()
export class TenancyRows {
  constructor(
    @InjectRepository(Tenant) private readonly tenants: Repository<Tenant>,
    @InjectRepository(RelyingPartyEntity)
    private readonly relyingParties: Repository<RelyingPartyEntity>,
    private readonly directory: DirectoryVersion,
    private readonly records: SharedRecords,
    private readonly clock: Clock,
  ) {}

  allTenants(): Promise<Tenant[]> {
    return this.tenants.find({ where: OPEN, order: { name: 'ASC' } });
  }

  async tenant(name: string): Promise<Tenant | undefined> {
    const found = await this.tenants.findOneBy({ ...OPEN, name });
    // MySQL and MariaDB pad texts with blanks when they compare: there 'a ' finds 'a'.
    return found?.name === name ? found : undefined;
  }

  /** How many there have been, those that were removed too. */
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

  /** @throws the driver's error where an open tenant has this name */
  async addTenant(name: string, displayName: string): Promise<Tenant> {
    const now = this.clock.now();
    const times = { createdAt: now, changedAt: now, closedAt: 0 };
    const row = { id: newId(), name, displayName, ...times };
    await this.directory.commit([insertStep(this.tenants, row)]);
    return row;
  }

  /** @returns `undefined` if it has changed since it was read */
  async changeTenant(found: Tenant, displayName: string): Promise<Tenant | undefined> {
    const { id, changedAt } = found;
    const changes = { displayName, changedAt: this.changeOf(found) };
    const change = updateStep(this.tenants, { ...OPEN, id, changedAt }, changes, true);
    return (await this.directory.commit([change])) ? { ...found, ...changes } : undefined;
  }

  /** Closes a tenant with its relying parties, and deletes its application keys and webhooks. */
  closeTenant({ id, changedAt }: Tenant): Promise<boolean> {
    const now = this.clock.now();
    return this.directory.commit([
      updateStep(this.tenants, { ...OPEN, id, changedAt }, closed(now), true),
      updateStep(this.relyingParties, { ...OPEN, tenantId: id }, closed(now)),
      DELETE_KEYS_OF_TENANT.step({ tenantId: id }),
      DELETE_WEBHOOKS_OF_TENANT.step({ tenantId: id }),
    ]);
  }

  /** Rises with each change, even of one millisecond. */
  changeOf({ changedAt }: Pick<Read, 'changedAt'>): number {
    return Math.max(this.clock.now(), changedAt + 1);
  }

  /**
   * Takes a turn to list app origins, before the relying parties are read. No unique key says that an app
   * origin belongs to one tenant: of two who take the same turn, one stores what it lists, and the other must
   * look again.
   */
  async turn(): Promise<Step[]> {
    return [replaceRecord(APPS, await this.records.findOrCreate(APPS, newTurn), newTurn())];
  }

  /**
   * Adds it to its tenant, unless that was closed meanwhile.
   *
   * @throws the driver's error where an open one has this domain
   */
  addRelyingParty(
    row: RelyingPartyEntity,
    { open, turn }: RelyingPartyChangeBasis,
  ): Promise<boolean> {
    const insert = ADD_RELYING_PARTY.guard({
      ...row,
      origins: JSON.stringify(row.origins),
      policy: JSON.stringify(row.policy),
      wellKnown: JSON.stringify(row.wellKnown),
      keyShapes: row.keyShapes && JSON.stringify(row.keyShapes),
    });
    return this.directory.commit([...turn, ...this.stillSo(row, open), insert]);
  }

  replaceRelyingParty(
    found: RelyingPartyEntity,
    changed: RelyingPartyEntity,
    { open, turn }: RelyingPartyChangeBasis,
  ): Promise<boolean> {
    const { name, origins, policy, wellKnown, keyShapes, foldsNames, changedAt } = changed;
    const { enrolmentUrl, colour, predecessor } = changed;
    const said = { name, origins, policy, wellKnown, keyShapes, enrolmentUrl, colour };
    const changes = { ...said, predecessor, foldsNames, changedAt };
    const begins = foldsNames > found.foldsNames;
    return this.directory.commit([
      ...turn,
      ...this.stillSo(changed, open),
      updateStep(this.relyingParties, asRead(found), changes, true),
      ...(begins ? [allAreFolded(found)] : []),
    ]);
  }

  closeRelyingParty(found: RelyingPartyEntity): Promise<boolean> {
    const changes = closed(this.changeOf(found));
    return this.directory.commit([updateStep(this.relyingParties, asRead(found), changes, true)]);
  }

  /**
   * Belongs into the unit that stores a relying party which takes users over: it fails where the old domain
   * has changed since the check. It counts as a change of the old domain: a
   * simultaneous change or removal of that domain does not know the move yet, and has to be checked again.
   */
  private stillSo(
    { predecessor }: Pick<RelyingPartyEntity, 'predecessor'>,
    open: readonly RelyingParty[],
  ): Step[] {
    const former = open.find(({ domain }) => domain === predecessor);
    if (!former) return [];
    const changes = { changedAt: this.changeOf(former) };
    return [updateStep(this.relyingParties, asRead(former), changes, true)];
  }
}
