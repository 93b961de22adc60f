import { Injectable } from '@nestjs/common';
import type { ChangingCall } from '../audit/audited.js';
import type { Change } from '../audit/differences.js';
import { Clock } from '../platform/common/clock.js';
import { newId } from '../platform/database/row-ids.js';
import { Database } from '../platform/database/database.js';
import { ApiError } from '../platform/errors/api-error.js';
import { problem, type Problem } from '../platform/errors/reasons.js';
import type { Account } from '../platform/access/accounts/account.js';
import { normalizeOrigins } from '../platform/validation/values/domain.js';
import { ensureExpected, type ExpectedTags } from '../platform/http/versions.js';
import { ensureMayAdd } from './changes/domain-ownership.js';
import { policyBy } from './policy/policy.js';
import { ensureOnOrigin } from './tenancy.validators.js';
import {
  changedBy,
  newAudiences,
  newOrigins,
  normalizedPolicy,
  relyingPartyDifferences,
  tenantDifferences,
} from './changes/relying-party-change.js';
import type { RelyingPartyEntity } from './relying-party.entity.js';
import { defaultOrigins } from './relying-party.js';
import { moveWarnings, originWarnings, relatedWarnings } from './origin-warnings.js';
import type {
  ChangeRelyingPartyDto,
  CreateRelyingPartyDto,
  CreateTenantDto,
} from './tenancy.dto.js';
import { TenancyRows, type RelyingPartyChangeBasis } from './tenancy-rows.js';
import { appWarnings, confirmedAppsAfter } from './scope/app-origins.js';
import { RelyingPartyCache } from './scope/relying-party-cache.js';
import type { Tenant } from './tenant.entity.js';
import { TenantRemoval } from './changes/tenant-removal.js';
import { ensureCovers } from './scope/visible-tenants.js';
import {
  ensureMoveIsSafe,
  ensureNotPredecessor,
  type MoveForecast,
  type MoveForecaster,
} from './changes/predecessor.js';
import { ensureMayPretend, keyShapesAfter } from './unknown-users/key-survey.js';
import { prepareNames } from './usernames/folded-names.js';
import { ignoresCase } from './usernames/name-key.js';
import { allowedOrigins, completeWellKnown, wellKnownIn } from './well-known/well-known.js';

const MAX_TRIES = 10;

/** Creates, changes and removes tenants and their relying parties. */
@Injectable()
export class TenancyService {
  private forecaster: MoveForecaster | undefined;

  constructor(
    private readonly rows: TenancyRows,
    private readonly database: Database,
    private readonly directory: RelyingPartyCache,
    private readonly removal: TenantRemoval,
    private readonly clock: Clock,
  ) {}

  listTenants(): Promise<Tenant[]> {
    return this.rows.allTenants();
  }

  /** Whether no relying party has ever existed, not even a removed one. */
  async isUntouched(): Promise<boolean> {
    return (await this.rows.countRelyingParties()) === 0;
  }

  async listRelyingParties(tenant: string): Promise<RelyingPartyEntity[]> {
    const { id } = await this.tenant(tenant);
    return this.rows.relyingPartiesOf(id);
  }

  /** @throws ApiError E0045R if an open tenant has this name */
  async addTenant(
    { commit }: ChangingCall,
    { tenant, displayName = tenant }: CreateTenantDto,
  ): Promise<Tenant> {
    const now = this.clock.now();
    const times = { createdAt: now, changedAt: now, closedAt: 0 };
    const row = { id: newId(), name: tenant, displayName, ...times };
    if (await commit(this.rows.tenantInsertion(row), { tenant })) return row;
    throw new ApiError('E0045R', 'tenant.taken', { tenant });
  }

  /**
   * @param change the display name, or a function that derives it from the stored tenant
   * @throws ApiError E0053R if none of the expected tags matches
   */
  changeTenant(
    { commit }: ChangingCall,
    tenant: string,
    change: string | ((found: Tenant) => string),
    expected?: ExpectedTags,
  ): Promise<Tenant> {
    return this.untilStored(async () => {
      const before = await this.tenant(tenant);
      ensureExpected(expected, before.changedAt);
      const displayName = typeof change === 'function' ? change(before) : change;
      const changes = { displayName, changedAt: this.rows.changeOf(before) };
      const after = { ...before, ...changes };
      const facts = { tenant, detail: tenantDifferences({ before, after }) };
      return (await commit(this.rows.tenantUpdate(before, changes), facts)) ? after : undefined;
    });
  }

  /**
   * @param call its account, if limited to tenants, is restricted (`ensureMayAdd`)
   * @throws ApiError E0045R if any tenant has this domain, or the account may not add it; E0044R if
   *   there is no such tenant
   */
  addRelyingParty(
    call: ChangingCall,
    tenant: string,
    dto: CreateRelyingPartyDto,
  ): Promise<RelyingPartyEntity> {
    return this.untilStored(() => this.tryToAdd(call, tenant, dto));
  }

  /**
   * Changes the given members and no others, regardless of simultaneous changes.
   *
   * @param call as in `addRelyingParty`, for new origins; an application key may change the policies of
   *   its relying parties, within the limits of `policyBy`
   * @param change the members to change, or a function that derives them from the stored relying party
   * @returns the relying party before and after the change
   * @throws ApiError E0053R if none of the expected tags matches
   */
  changeRelyingParty(
    { account: by, commit }: ChangingCall,
    tenant: string,
    domain: string,
    change: ChangeRelyingPartyDto | ((found: RelyingPartyEntity) => ChangeRelyingPartyDto),
    expected?: ExpectedTags,
  ): Promise<Change<RelyingPartyEntity>> {
    return this.untilStored(async () => {
      const found = await this.relyingParty(tenant, domain);
      ensureExpected(expected, found.changedAt);
      ensureCovers(by, found);
      const dto = typeof change === 'function' ? change(found) : change;
      const policy = dto.policy && policyBy(by, found.policy, dto.policy);
      const changes = changedBy(found, { ...dto, ...(policy && { policy }) });
      const changed = { ...changes, changedAt: this.rows.changeOf(found) };
      const added = {
        origins: newOrigins(found, changed),
        audiences: newAudiences(found.policy, changed.policy),
      };
      const basis = await this.readBasis(added.audiences);
      const { open } = basis;
      ensureMayAdd(by, { tenant, ...added }, open);
      ensureMoveIsSafe({ ...changed, tenant }, open);
      ensureMayPretend(changed, open);
      ensureOnOrigin(changed.enrolmentUrl, allowedOrigins(changed));
      const confirmedApps = confirmedAppsAfter(by, found, changed, dto.confirmedApps);
      const keyShapes = await keyShapesAfter(this.database, found, changed);
      await prepareNames(this.database, by, { before: found, after: changed });
      const after = {
        ...changed,
        confirmedApps,
        keyShapes,
        foldsNames: ignoresCase(changed) ? 1 : 0,
      };
      const done = { before: found, after };
      const facts = { tenant, relyingParty: domain, detail: relyingPartyDifferences(done) };
      return (await commit(this.rows.update(found, after, basis), facts)) ? done : undefined;
    });
  }

  /**
   * Counts what a move would decide about the users of the old domain, and changes nothing.
   *
   * @throws ApiError as `changeRelyingParty` for this predecessor; E0044R if there is no such relying party
   */
  async forecastMove(
    by: Account,
    { tenant, domain }: { readonly tenant: string; readonly domain: string },
    predecessor: string,
  ): Promise<MoveForecast | undefined> {
    const found = await this.relyingParty(tenant, domain);
    ensureCovers(by, found);
    const open = await this.directory.read();
    ensureMoveIsSafe({ ...found, predecessor, tenant }, open);
    const rp = open.find((one) => one.domain === domain);
    const former = open.find((one) => one.domain === predecessor);
    return rp && former && this.forecaster?.forecast(rp, former);
  }

  /** Called once, by the feature that decides about users who move. */
  registerForecaster(forecaster: MoveForecaster): void {
    this.forecaster = forecaster;
  }

  /** Warnings for an account about a relying party that it may see. */
  warningsAbout(account: Account, tenant: string, rp: RelyingPartyEntity): readonly Problem[] {
    return [
      ...originWarnings(rp.domain, rp.origins),
      ...relatedWarnings(rp.wellKnown.relatedOrigins),
      ...appWarnings(rp),
      ...this.audienceWarnings(account, tenant, rp),
      ...this.moveWarnings(rp),
    ];
  }

  /** Warnings about a move in which the relying party is the new domain or the old one. */
  moveWarnings(rp: RelyingPartyEntity): readonly Problem[] {
    const { current } = this.directory;
    const former = current.predecessorOf(rp);
    const successor = current.successorOf(rp);
    return [
      ...(former ? moveWarnings(rp, former) : []),
      ...(successor ? moveWarnings({ ...successor, origins: successor.listedOrigins }, rp) : []),
    ];
  }

  /** Warnings about audiences of two tenants; only accounts of all tenants learn of other tenants. */
  audienceWarnings(
    { tenants }: Account,
    tenant: string,
    { domain, policy }: Pick<RelyingPartyEntity, 'domain' | 'policy'>,
  ): readonly Problem[] {
    const { audiences: owners } = this.directory.current;
    const foreign = owners.foreignOf({ tenant, policy });
    const elsewhere = tenants ? [] : owners.listedElsewhere(tenant, domain);
    return [
      ...(foreign.length > 0 ? [problem('audiences.foreign', listing(foreign))] : []),
      ...elsewhere.map(({ holder, audiences }) =>
        problem('audiences.listedElsewhere', {
          ...listing(audiences),
          domain: holder.domain,
          otherTenant: holder.tenant,
        }),
      ),
    ];
  }

  /** Closes the tenant and all of its relying parties at once; their data is deleted in batches. */
  async removeTenant(
    { commit }: ChangingCall,
    tenant: string,
    expected?: ExpectedTags,
  ): Promise<void> {
    await this.untilStored(async () => {
      const found = await this.tenant(tenant);
      ensureExpected(expected, found.changedAt);
      return (await commit(this.rows.tenantRemoval(found), { tenant })) || undefined;
    });
    void this.removal.runNow();
  }

  /** @throws ApiError E0045R while another relying party takes its users over */
  async removeRelyingParty(
    { commit }: ChangingCall,
    tenant: string,
    domain: string,
    expected?: ExpectedTags,
  ): Promise<void> {
    await this.untilStored(async () => {
      const found = await this.relyingParty(tenant, domain);
      ensureExpected(expected, found.changedAt);
      ensureNotPredecessor(domain, await this.directory.read());
      const facts = { tenant, relyingParty: domain };
      return (await commit(this.rows.removal(found), facts)) || undefined;
    });
    void this.removal.runNow();
  }

  private async tryToAdd(
    { account: by, commit }: ChangingCall,
    tenant: string,
    dto: CreateRelyingPartyDto,
  ) {
    const { id: tenantId } = await this.tenant(tenant);
    const {
      domain,
      name = domain,
      policy = {},
      enrolmentUrl = null,
      colour = null,
      predecessor = null,
    } = dto;
    const now = this.clock.now();
    const planned = {
      id: newId(),
      tenantId,
      domain,
      name,
      origins: normalizeOrigins(dto.origins ?? defaultOrigins(domain)),
      policy: normalizedPolicy(policy),
      wellKnown: completeWellKnown(wellKnownIn(dto)),
      enrolmentUrl,
      colour,
      predecessor,
      createdAt: now,
      changedAt: now,
      closedAt: 0,
    };
    const allowed = allowedOrigins(planned);
    const added = { origins: allowed, audiences: newAudiences({}, policy) };
    const basis = await this.readBasis(added.audiences);
    const { open } = basis;
    ensureMayAdd(by, { tenant, domain, ...added }, open);
    ensureMoveIsSafe({ ...planned, tenant }, open);
    ensureMayPretend(planned, open);
    ensureOnOrigin(enrolmentUrl, allowed);
    if (open.some((rp) => rp.domain === domain)) {
      throw new ApiError('E0045R', 'relyingParty.taken', { domain });
    }
    const keyShapes = await keyShapesAfter(this.database, undefined, planned);
    const confirmedApps = confirmedAppsAfter(by, undefined, planned, dto.confirmedApps);
    const row = { ...planned, confirmedApps, keyShapes, foldsNames: ignoresCase(planned) ? 1 : 0 };
    const unit = this.rows.insertion(row, basis);
    return (await commit(unit, { tenant, relyingParty: domain })) ? row : undefined;
  }

  /** Reads the state against which a change that adds these audiences is checked. */
  private async readBasis(audiences: readonly string[]): Promise<RelyingPartyChangeBasis> {
    const turn = audiences.length > 0 ? await this.rows.turn() : [];
    return { turn, open: await this.directory.read() };
  }

  /**
   * Tries again if others have changed the state against which a change was checked.
   *
   * @param attempt resolves to `undefined` in that case, and stores nothing
   * @throws ApiError E0052R if this happens repeatedly
   */
  private async untilStored<T>(attempt: () => Promise<T | undefined>): Promise<T> {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const stored = await attempt();
      if (stored === undefined) continue;
      await this.directory.refresh();
      return stored;
    }
    throw new ApiError('E0052R', 'relyingParty.changing');
  }

  /** @throws ApiError E0044R */
  async tenant(name: string): Promise<Tenant> {
    const found = await this.rows.tenant(name);
    if (!found) throw new ApiError('E0044R', 'tenant.unknown');
    return found;
  }

  /** @throws ApiError E0044R for an unknown tenant, and for a domain of another tenant */
  async relyingParty(tenant: string, domain: string): Promise<RelyingPartyEntity> {
    const { id: tenantId } = await this.tenant(tenant);
    const found = await this.rows.relyingParty(tenantId, domain);
    if (!found) throw new ApiError('E0044R', 'tenant.noRelyingParty');
    return found;
  }
}

const listing = (audiences: readonly string[]) => ({ audiences: audiences.join(', ') });
