import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { newId } from '../database/columns.js';
import { Database } from '../database/database.js';
import { isUniqueViolation } from '../database/commit/unique-violation.js';
import type { Step } from '../database/commit/unit.js';
import { ApiError } from '../errors/api-error.js';
import { RelyingPartyEntity } from './relying-party.entity.js';
import { defaultOrigins } from './relying-party.js';
import type {
  ChangeRelyingPartyDto,
  CreateRelyingPartyDto,
  CreateTenantDto,
} from './tenancy.dto.js';
import { TenantDirectory } from './tenant-directory.js';
import { Tenant } from './tenant.entity.js';
import { TenantRemoval } from './tenant-removal.js';

const OPEN = { closedAt: 0 };

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
    await this.unique(() => this.tenants.insert(row), `There is a tenant "${tenant}" already.`);
    return row;
  }

  async changeTenant(tenant: string, displayName: string): Promise<Tenant> {
    const found = await this.tenant(tenant);
    const changes = { displayName, changedAt: Date.now() };
    await this.tenants.update({ id: found.id }, changes);
    await this.directory.refresh();
    return { ...found, ...changes };
  }

  /** @throws ApiError E0045R when any tenant has this domain, E0044R when there is no such tenant */
  async addRelyingParty(tenant: string, dto: CreateRelyingPartyDto): Promise<RelyingPartyEntity> {
    const { id: tenantId } = await this.tenant(tenant);
    const { domain, name = domain, origins = defaultOrigins(domain), policy = {} } = dto;
    const now = Date.now();
    const row = { id: newId(), tenantId, domain, name, origins, policy };
    const times = { createdAt: now, changedAt: now, closedAt: 0 };
    await this.unique(
      () => this.relyingParties.insert({ ...row, ...times }),
      `The domain "${domain}" belongs to a relying party already.`,
    );
    await this.directory.refresh();
    return { ...row, ...times };
  }

  async changeRelyingParty(
    tenant: string,
    domain: string,
    { name, origins, policy }: ChangeRelyingPartyDto,
  ): Promise<RelyingPartyEntity> {
    const found = await this.relyingParty(tenant, domain);
    const changes = {
      name: name ?? found.name,
      origins: origins ?? found.origins,
      policy: policy ?? found.policy,
      changedAt: Date.now(),
    };
    await this.relyingParties.update({ id: found.id }, changes);
    await this.directory.refresh();
    return { ...found, ...changes };
  }

  /** Closes the tenant and all of its relying parties at once; what they hold goes in batches. */
  async removeTenant(tenant: string): Promise<void> {
    const { id } = await this.tenant(tenant);
    const now = Date.now();
    await this.close([
      {
        sql: 'UPDATE tenants SET closed_at = ?, changed_at = ? WHERE id = ? AND closed_at = 0',
        params: [now, now, id],
        guard: true,
      },
      {
        sql: 'UPDATE relying_parties SET closed_at = ?, changed_at = ? WHERE tenant_id = ? AND closed_at = 0',
        params: [now, now, id],
      },
    ]);
  }

  async removeRelyingParty(tenant: string, domain: string): Promise<void> {
    const { id } = await this.relyingParty(tenant, domain);
    const now = Date.now();
    await this.close([
      {
        sql: 'UPDATE relying_parties SET closed_at = ?, changed_at = ? WHERE id = ? AND closed_at = 0',
        params: [now, now, id],
        guard: true,
      },
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
    if (found?.name !== name) throw new ApiError('E0044R', 'There is no such tenant.');
    return found;
  }

  private async relyingParty(tenant: string, domain: string): Promise<RelyingPartyEntity> {
    const { id: tenantId } = await this.tenant(tenant);
    const found = await this.relyingParties.findOneBy({ ...OPEN, tenantId, domain });
    if (found?.domain !== domain)
      throw new ApiError('E0044R', 'The tenant has no such relying party.');
    return found;
  }

  private async unique(insert: () => Promise<unknown>, sentence: string): Promise<void> {
    try {
      await insert();
    } catch (error) {
      if (isUniqueViolation(error)) {
        throw new ApiError('E0045R', sentence, { cause: error });
      }
      throw error;
    }
  }
}
