import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { newId } from '../database/columns.js';
import { Database } from '../database/database.js';
import { insertStep, updateStep } from '../database/commit/step-of.js';
import { isUniqueViolation } from '../database/commit/unique-violation.js';
import type { Step } from '../database/commit/unit.js';
import { ApiError } from '../errors/api-error.js';
import type { Account } from '../security/account.js';
import { ensureMayAdd } from './domain-ownership.js';
import { ensureCovers, policyBy } from './policy-rights.js';
import { ensureOnOrigin } from './people-pages.js';
import { changedBy, newOrigins, originsOf } from './relying-party-change.js';
import type { RelyingPartyChange } from './relying-party-change.js';
import { RelyingPartyEntity } from './relying-party.entity.js';
import { defaultOrigins } from './relying-party.js';
import type {
  ChangeRelyingPartyDto,
  CreateRelyingPartyDto,
  CreateTenantDto,
} from './tenancy.dto.js';
import { DELETE_KEYS_OF_TENANT } from './keys/application-key.statements.js';
import { ADD_RELYING_PARTY, DELETE_WEBHOOKS_OF_TENANT } from './tenancy.statements.js';
import { TenantDirectory } from './tenant-directory.js';
import type { TenantChange } from './tenant-change.js';
import { Tenant } from './tenant.entity.js';
import { TenantRemoval } from './tenant-removal.js';
import { ensureMoves, ensureNotNamed } from './predecessor.js';
import { keyShapesAfter } from './unknown-users/key-survey.js';
import { ensureMayPretend } from './unknown-users/may-pretend.js';
import { allAreFolded } from './usernames/folded-names.js';
import { foldsNames, prepareNames } from './usernames/usernames-change.js';
import { wellKnownIn } from './well-known/well-known.js';

const OPEN = { closedAt: 0 };
const MOST_TRIES = 10;

const noSuchTenant = () => new ApiError('E0044R', 'There is no such tenant.');

/** Rises with each change, even of one millisecond. */
const nextChange = ({ changedAt }: RelyingPartyEntity) => Math.max(Date.now(), changedAt + 1);

/** Sets both: what is closed has changed. */
const closed = () => {
  const now = Date.now();
  return { closedAt: now, changedAt: now };
};

/** Tenants and their relying parties: the only place that changes them. */
@Injectable()
export class TenancyService {
  constructor(
    @InjectRepository(Tenant) private readonly tenants: Repository<Tenant>,
    @InjectRepository(RelyingPartyEntity)
    private readonly relyingParties: Repository<RelyingPartyEntity>,
    private readonly database: Database,
    private readonly directory: TenantDirectory,
    private readonly removal: TenantRemoval,
  ) {}

  listTenants(): Promise<Tenant[]> {
    return this.tenants.find({ where: OPEN, order: { name: 'ASC' } });
  }

  /** Whether there has never been a relying party, not even one that was removed. */
  async isUntouched(): Promise<boolean> {
    return (await this.relyingParties.count()) === 0;
  }

  async listRelyingParties(tenant: string): Promise<RelyingPartyEntity[]> {
    const { id } = await this.tenant(tenant);
    return this.relyingParties.find({ where: { ...OPEN, tenantId: id }, order: { domain: 'ASC' } });
  }

  /** @throws ApiError E0045R when an open tenant has this name */
  async addTenant({ tenant, displayName }: CreateTenantDto): Promise<Tenant> {
    const now = Date.now();
    const row = {
      id: newId(),
      name: tenant,
      displayName: displayName ?? tenant,
      createdAt: now,
      changedAt: now,
      closedAt: 0,
    };
    const insert = insertStep(this.tenants, row);
    await this.unique(
      () => this.database.commit([insert]),
      `There is a tenant "${tenant}" already.`,
    );
    return row;
  }

  async changeTenant(tenant: string, displayName: string): Promise<TenantChange> {
    const found = await this.tenant(tenant);
    const changes = { displayName, changedAt: Date.now() };
    await this.database.commit([updateStep(this.tenants, { id: found.id }, changes)]);
    await this.directory.refresh();
    return { before: found, after: { ...found, ...changes } };
  }

  /**
   * @param by who adds it: accounts limited to tenants may not add everything (`ensureMayAdd`)
   * @throws ApiError E0045R when any tenant has this domain, or the account may not add it; E0044R
   *   when there is no such tenant
   */
  async addRelyingParty(
    by: Account,
    tenant: string,
    dto: CreateRelyingPartyDto,
  ): Promise<RelyingPartyEntity> {
    const { id: tenantId } = await this.tenant(tenant);
    const { domain, name = domain, origins = defaultOrigins(domain), policy = {} } = dto;
    const { enrolmentUrl = null, colour = null, predecessor = null } = dto;
    const said = { origins, policy, wellKnown: wellKnownIn(dto) };
    const row = { id: newId(), tenantId, domain, name, ...said, enrolmentUrl, colour, predecessor };
    const allowed = originsOf(row);
    const open = await this.directory.read();
    ensureMayAdd(by, { tenant, domain, origins: allowed }, open);
    ensureMoves({ ...row, tenant }, open);
    ensureMayPretend(row, open);
    ensureOnOrigin(enrolmentUrl, allowed);
    const keyShapes = await keyShapesAfter(this.database, undefined, row);
    const folding = { foldsNames: foldsNames(row) };
    const now = Date.now();
    const times = { createdAt: now, changedAt: now, closedAt: 0 };
    const texts = [
      domain,
      name,
      ...Object.values(said).map((one) => JSON.stringify(one)),
      enrolmentUrl,
      colour,
      predecessor,
      keyShapes && JSON.stringify(keyShapes),
      folding.foldsNames,
    ];
    const added = await this.unique(
      () =>
        this.database.commit([
          { sql: ADD_RELYING_PARTY, params: [row.id, ...texts, now, now, tenantId], guard: true },
        ]),
      `The domain "${domain}" belongs to a relying party already.`,
    );
    if (!added) throw noSuchTenant();
    await this.directory.refresh();
    return { ...row, keyShapes, ...folding, ...times };
  }

  /**
   * Changes what is given and leaves the rest, whatever others change at the same time.
   *
   * @param by as in `addRelyingParty`, for origins that the relying party has not had; an application
   *   key changes its relying parties' policies, as far as `policyBy` goes
   * @returns the relying party as it was and as it is now
   */
  async changeRelyingParty(
    by: Account,
    tenant: string,
    domain: string,
    dto: ChangeRelyingPartyDto,
  ): Promise<RelyingPartyChange> {
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const found = await this.relyingParty(tenant, domain);
      ensureCovers(by, found);
      const policy = dto.policy && policyBy(by, found.policy, dto.policy);
      const changes = changedBy(found, { ...dto, ...(policy && { policy }) });
      const changed = { ...changes, changedAt: nextChange(found) };
      const origins = newOrigins(found, changed);
      const open = await this.directory.read();
      ensureMayAdd(by, { tenant, origins }, open);
      ensureMoves({ ...changed, tenant }, open);
      ensureMayPretend(changed, open);
      ensureOnOrigin(changed.enrolmentUrl, originsOf(changed));
      const keyShapes = await keyShapesAfter(this.database, found, changed);
      await prepareNames(this.database, by, { before: found, after: changed });
      const after = { ...changed, keyShapes, foldsNames: foldsNames(changed) };
      if (await this.replace(found, after)) {
        await this.directory.refresh();
        return { before: found, after };
      }
    }
    throw new ApiError('E0052R', 'Others change this relying party at the same time.');
  }

  /** Closes the tenant and all of its relying parties at once; what they hold goes in batches. */
  async removeTenant(tenant: string): Promise<void> {
    const { id } = await this.tenant(tenant);
    await this.close([
      updateStep(this.tenants, { ...OPEN, id }, closed(), true),
      updateStep(this.relyingParties, { ...OPEN, tenantId: id }, closed()),
      { sql: DELETE_KEYS_OF_TENANT, params: [id] },
      { sql: DELETE_WEBHOOKS_OF_TENANT, params: [id] },
    ]);
  }

  /** @throws ApiError E0045R while another takes its users over */
  async removeRelyingParty(tenant: string, domain: string): Promise<void> {
    const { id, tenantId } = await this.relyingParty(tenant, domain);
    ensureNotNamed(domain, await this.directory.read());
    await this.close([updateStep(this.relyingParties, { ...OPEN, tenantId, id }, closed(), true)]);
  }

  /** Only what was read: an origin that another administrator removed meanwhile must not come back. */
  private replace(found: RelyingPartyEntity, changed: RelyingPartyEntity): Promise<boolean> {
    const { name, origins, policy, wellKnown, keyShapes, foldsNames: folds, changedAt } = changed;
    const { enrolmentUrl, colour, predecessor } = changed;
    const asRead = { ...OPEN, tenantId: found.tenantId, id: found.id, changedAt: found.changedAt };
    const said = { name, origins, policy, wellKnown, keyShapes, enrolmentUrl, colour };
    const changes = { ...said, predecessor, foldsNames: folds, changedAt };
    const begins = folds > found.foldsNames;
    return this.database.commit([
      updateStep(this.relyingParties, asRead, changes, true),
      ...(begins ? [allAreFolded(found)] : []),
    ]);
  }

  private async close(steps: Step[]): Promise<void> {
    await this.database.commit(steps);
    await this.directory.refresh();
    this.removal.start();
  }

  private async tenant(name: string): Promise<Tenant> {
    const found = await this.tenants.findOneBy({ ...OPEN, name });
    // MySQL and MariaDB pad texts with blanks when they compare: there 'a ' finds 'a'.
    if (found?.name !== name) throw noSuchTenant();
    return found;
  }

  private async relyingParty(tenant: string, domain: string): Promise<RelyingPartyEntity> {
    const { id: tenantId } = await this.tenant(tenant);
    const found = await this.relyingParties.findOneBy({ ...OPEN, tenantId, domain });
    if (found?.domain !== domain)
      throw new ApiError('E0044R', 'The tenant has no such relying party.');
    return found;
  }

  private async unique<T>(insert: () => Promise<T>, sentence: string): Promise<T> {
    try {
      return await insert();
    } catch (error) {
      if (isUniqueViolation(error)) {
        throw new ApiError('E0045R', sentence, { cause: error });
      }
      throw error;
    }
  }
}
