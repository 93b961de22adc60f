import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, type FindOptionsWhere, type Repository } from 'typeorm';
import type { ChangingCall } from '../../audit/audited.js';
import { Clock } from '../../platform/common/clock.js';
import { newId } from '../../platform/database/row-ids.js';
import { insertStep, mustChange, updateStep } from '../../platform/database/commit/step-of.js';
import { RAISE_CACHE_VERSION } from '../../platform/database/cache-version.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { seesTenant, type Account } from '../../platform/access/accounts/account.js';
import {
  newKeySecret,
  secretHash,
  visiblePrefix,
} from '../../platform/access/accounts/key-secret.js';
import { ensureExpected, type ExpectedTags } from '../../platform/http/versions.js';
import { TenancyRows } from '../tenancy-rows.js';
import { LOCK_OPEN_TENANT } from '../tenancy.statements.js';
import type { IssueKeyDto, ListKeysQuery } from './application-key.dto.js';
import { ApplicationKey } from './application-key.entity.js';

const OPEN = { closedAt: 0 };

interface KeyState {
  readonly revokedAt: number | string | null;
  readonly suspendedAt: number | string | null;
}

/** The state of a key, for its ETag: its other members never change. */
export const keyVersion = ({ revokedAt, suspendedAt }: KeyState): string =>
  [revokedAt, suspendedAt].map((at) => new Date(at ?? 0).getTime()).join('-');

const noSuchKey = () => new ApiError('E0044R', 'applicationKey.unknown');

/** Issues, lists and revokes application keys. */
@Injectable()
export class ApplicationKeys {
  constructor(
    @InjectRepository(ApplicationKey) private readonly keys: Repository<ApplicationKey>,
    private readonly tenants: TenancyRows,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the key and its secret, which is not stored
   * @throws ApiError E0044R if there is no such tenant; E0045R for a domain of another tenant, and for a
   *   time in the past; E0052R if the tenant was removed each time
   */
  async issue({ account: by, commit }: ChangingCall, dto: IssueKeyDto) {
    return untilStored('resource.changing', async () => {
      const tenant = await this.tenants.visibleTenant(by, dto.tenant);
      const now = this.clock.now();
      if (dto.expiresAt !== undefined && dto.expiresAt <= now) {
        throw new ApiError('E0045R', 'applicationKey.past', { field: 'expiresAt' });
      }
      const relyingParties = await this.tenants.idsOf(tenant, dto.relyingParties);
      const secret = newKeySecret();
      const origin = { tenantId: tenant.id, relyingParties, createdAt: now, createdBy: by.name };
      const row = newKey(dto, secret, origin);
      const key = { ...row, tenant };
      const lockTenant = LOCK_OPEN_TENANT.mustChange({ tenantId: tenant.id });
      const unit = [lockTenant, insertStep(this.keys, row), RAISE_CACHE_VERSION];
      if (await commit(unit, keyFacts(key, dto.relyingParties))) return { key, secret };
      // The tenant was removed in the meantime; another one may have its name by now.
      return OVERTAKEN;
    });
  }

  /**
   * The keys of a tenant, or of all tenants, that the account may see, newest first.
   *
   * @throws ApiError E0044R if the account may see no tenant with this name
   */
  async list(by: Account, { tenant, revoked }: ListKeysQuery) {
    if (tenant !== undefined) await this.tenants.visibleTenant(by, tenant);
    return this.visible(by, {
      revokedAt: revoked === 'yes' ? Not(IsNull()) : IsNull(),
      tenant: { ...OPEN, ...(tenant !== undefined && { name: tenant }) },
    });
  }

  /**
   * Revokes a key. Once this resolves, the key works on no instance: each reads it from the database on
   * every call.
   *
   * @param id Base64URL
   * @throws ApiError E0044R if the account may see no valid key with this ID; E0053R if none of the
   *   expected tags matches
   */
  async revoke(
    { account: by, commit }: ChangingCall,
    id: string,
    expected?: ExpectedTags,
  ): Promise<Required<ApplicationKey>> {
    return untilStored('resource.changing', async () => {
      const key = await this.find(by, id);
      if (key.revokedAt !== null) throw noSuchKey();
      ensureExpected(expected, keyVersion(key));
      const revokedAt = this.clock.now();
      const { suspendedAt } = key;
      const found = { id: key.id, revokedAt: IsNull(), suspendedAt: suspendedAt ?? IsNull() };
      const revocation = mustChange(updateStep(this.keys, found, { revokedAt }));
      const isStored = await commit([revocation, RAISE_CACHE_VERSION], keyFacts(key));
      return isStored ? { ...key, revokedAt } : OVERTAKEN;
    });
  }

  /**
   * Reactivates a key that a restore suspended.
   *
   * @param id Base64URL
   * @throws ApiError E0044R if the account may see no suspended key with this ID
   */
  async confirm(
    { account: by, commit }: ChangingCall,
    id: string,
  ): Promise<Required<ApplicationKey>> {
    const key = await this.find(by, id);
    const found = { id: key.id, revokedAt: IsNull(), suspendedAt: Not(IsNull()) };
    const confirmation = mustChange(updateStep(this.keys, found, { suspendedAt: null }));
    if (await commit([confirmation, RAISE_CACHE_VERSION], keyFacts(key))) {
      return { ...key, suspendedAt: null };
    }
    throw noSuchKey();
  }

  /**
   * Finds a key, including a revoked one.
   *
   * @param id Base64URL
   * @throws ApiError E0044R if the account may see no key with this ID
   */
  async find(by: Account, id: string) {
    const [found] = await this.visible(by, { id: Buffer.from(id, 'base64url'), tenant: OPEN });
    if (!found) throw noSuchKey();
    return found;
  }

  /** The keys that the account may see, newest first, each with its tenant. */
  private async visible(by: Account, where: FindOptionsWhere<ApplicationKey>) {
    const options = { where, relations: { tenant: true }, order: { id: 'DESC' } } as const;
    const found = (await this.keys.find(options)) as Required<ApplicationKey>[];
    return found.filter(({ tenant }) => seesTenant(by, tenant.name));
  }
}

type KeyOrigin = Pick<ApplicationKey, 'tenantId' | 'relyingParties' | 'createdAt' | 'createdBy'>;

const newKey = (dto: IssueKeyDto, secret: string, origin: KeyOrigin): ApplicationKey => ({
  ...origin,
  id: newId(origin.createdAt),
  name: dto.name,
  prefix: visiblePrefix(secret),
  secretHash: secretHash(secret),
  scopes: dto.scopes,
  expiresAt: dto.expiresAt ?? null,
  lastUsedAt: null,
  revokedAt: null,
  suspendedAt: null,
});

/** @param domains the relying parties to which a new key is limited */
const keyFacts = (
  { tenant, name, prefix, scopes, expiresAt }: Required<ApplicationKey>,
  domains?: readonly string[],
) => ({
  tenant: tenant.name,
  target: name,
  detail: {
    prefix,
    scopes: scopes.join(' '),
    ...(domains && { relyingParties: domains.join(' ') }),
    ...(expiresAt !== null && { expiresAt: new Date(expiresAt).toISOString() }),
  },
});
