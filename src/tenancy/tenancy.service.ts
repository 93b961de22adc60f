import { Injectable } from '@nestjs/common';
import type { ChangingCall } from '../audit/audited.js';
import type { Change } from '../audit/differences.js';
import { Clock } from '../platform/common/clock.js';
import { newId } from '../platform/database/row-ids.js';
import { OVERTAKEN, untilStored } from '../platform/database/commit/until-stored.js';
import { Database } from '../platform/database/database.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { Problem } from '../platform/errors/reasons.js';
import type { Account } from '../platform/access/accounts/account.js';
import { ensureExpected, type ExpectedTags } from '../platform/http/versions.js';
import { relyingPartyDifferences, tenantDifferences } from './changes/relying-party-change.js';
import { ensurePlanAllowed, planAddition, planChange } from './changes/relying-party-plan.js';
import type { RelyingPartyEntity } from './relying-party.entity.js';
import { originWarnings, relatedWarnings } from './origin-warnings.js';
import type {
  ChangeRelyingPartyDto,
  CreateRelyingPartyDto,
  CreateTenantDto,
  RelyingPartyAddress,
} from './tenancy.dto.js';
import { TenancyRows, type RelyingPartyChangeBasis } from './tenancy-rows.js';
import { appWarnings, confirmedAppsAfter } from './scope/app-origins.js';
import { warningsBesideOthers } from './scope/warnings-beside-others.js';
import { RelyingPartyCache } from './scope/relying-party-cache.js';
import type { Tenant } from './tenant.entity.js';
import { TenantRemoval } from './changes/tenant-removal.js';
import { ensureCovers } from './scope/visible-tenants.js';
import {
  ensureNotPredecessor,
  type MoveForecast,
  type MoveForecaster,
} from './changes/predecessor.js';
import { keyShapesAfter } from './key-survey/key-survey.js';
import { ensureNamesDiffer, prepareNames } from './usernames/folded-names.js';
import { ignoresCase } from './usernames/name-key.js';

/** The members to change, or a function that derives them from the stored relying party. */
type RelyingPartyChange =
  ChangeRelyingPartyDto | ((found: RelyingPartyEntity) => ChangeRelyingPartyDto);

/** Finds what other features have to say about a stored relying party. */
type WarningSource = (rp: RelyingPartyEntity) => Promise<readonly Problem[]>;

/** The display name of a tenant; the name of one that was removed. */
export type NameOfTenant = (name: string) => string;

/** Creates, changes and removes tenants and their relying parties. */
@Injectable()
export class TenancyService {
  private forecaster: MoveForecaster | undefined;
  private readonly warningSources: WarningSource[] = [];

  constructor(
    private readonly rows: TenancyRows,
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
    private readonly removal: TenantRemoval,
    private readonly clock: Clock,
  ) {}

  listTenants(): Promise<Tenant[]> {
    return this.rows.allTenants();
  }

  /** Returns the display names of tenants for pages. */
  async nameOfTenant(): Promise<NameOfTenant> {
    const names = new Map((await this.listTenants()).map((one) => [one.name, one.displayName]));
    return (name) => names.get(name) ?? name;
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
    return this.stored(async () => {
      const before = await this.tenant(tenant);
      ensureExpected(expected, before.changedAt);
      const displayName = typeof change === 'function' ? change(before) : change;
      const changes = { displayName, changedAt: this.rows.changeOf(before) };
      const after = { ...before, ...changes };
      const facts = { tenant, detail: tenantDifferences({ before, after }) };
      return (await commit(this.rows.tenantUpdate(before, changes), facts)) ? after : OVERTAKEN;
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
    return this.stored(() => this.tryToAdd(call, tenant, dto));
  }

  /**
   * Changes the given members and no others, regardless of simultaneous changes.
   *
   * @param call as in `addRelyingParty`, for new origins; an application key may change the policies of
   *   its relying parties, within the limits of `policyBy`
   * @returns the relying party before and after the change; the same one twice if no member is given
   * @throws ApiError E0053R if none of the expected tags matches
   */
  changeRelyingParty(
    { account: by, commit }: ChangingCall,
    tenant: string,
    domain: string,
    change: RelyingPartyChange,
    expected?: ExpectedTags,
  ): Promise<Change<RelyingPartyEntity>> {
    const at = { tenant, domain };
    return this.stored(async () => {
      const { basis, isEmpty, ...planned } = await this.checkedPlan(by, at, change, expected);
      const { before, after: changed } = planned;
      if (isEmpty) {
        await commit([], { tenant, relyingParty: domain, detail: { changed: false } });
        return { before, after: before };
      }
      const keyShapes = await keyShapesAfter(this.database, before, changed);
      await prepareNames(this.database, by, planned);
      const after = { ...changed, keyShapes, foldsNames: ignoresCase(changed) ? 1 : 0 };
      const done = { before, after };
      const facts = { tenant, relyingParty: domain, detail: relyingPartyDifferences(done) };
      return (await commit(this.rows.update(before, after, basis), facts)) ? done : OVERTAKEN;
    });
  }

  /**
   * Returns the relying party as a change would make it, with its current version, and changes nothing. If the change
   * begins a move, counts what the move would decide about the users of the predecessor.
   *
   * @throws ApiError as `changeRelyingParty`
   */
  async tryChange(
    by: Account,
    at: RelyingPartyAddress,
    dto: ChangeRelyingPartyDto,
    expected?: ExpectedTags,
  ): Promise<{ readonly after: RelyingPartyEntity; readonly move: MoveForecast | undefined }> {
    const { basis, before, after } = await this.checkedPlan(by, at, dto, expected);
    await ensureNamesDiffer(this.database, by, { before, after });
    const { open } = basis;
    const rp = open.find(({ domain }) => domain === at.domain);
    const predecessor = dto.predecessor && open.find(({ domain }) => domain === dto.predecessor);
    const move = rp && predecessor ? await this.forecaster?.forecast(rp, predecessor) : undefined;
    return { after: { ...after, changedAt: before.changedAt }, move };
  }

  /** Applies a change to the stored relying party and checks the result against the current state. */
  private async checkedPlan(
    by: Account,
    { tenant, domain }: RelyingPartyAddress,
    change: RelyingPartyChange,
    expected: ExpectedTags | undefined,
  ) {
    const before = await this.relyingParty(tenant, domain);
    ensureExpected(expected, before.changedAt);
    ensureCovers(by, before);
    const dto = typeof change === 'function' ? change(before) : change;
    const isEmpty = Object.values(dto).every((value) => value === undefined);
    const plan = planChange(by, before, dto, this.rows.changeOf(before));
    const { planned, added } = plan;
    const basis = await this.readBasis(added.audiences);
    ensurePlanAllowed(by, tenant, plan, basis.open);
    const confirmedApps = confirmedAppsAfter(by, before, planned, dto.confirmedApps);
    return { before, after: { ...planned, confirmedApps }, basis, isEmpty };
  }

  /** Called once, by the feature that decides about users who move: a second forecaster would replace the first. */
  registerForecaster(forecaster: MoveForecaster): void {
    this.forecaster = forecaster;
  }

  /** Called once by each feature whose rows depend on settings of their relying party. */
  registerWarnings(source: WarningSource): void {
    this.warningSources.push(source);
  }

  /** Warnings for an account about a relying party that it may see. */
  async warningsAbout(
    account: Account,
    tenant: string,
    rp: RelyingPartyEntity,
  ): Promise<readonly Problem[]> {
    return [
      ...originWarnings({ ...rp, ...rp.wellKnown }),
      ...relatedWarnings(rp.wellKnown.relatedOrigins),
      ...appWarnings(rp),
      ...(await this.storedWarnings(account, tenant, rp)),
    ];
  }

  /**
   * Those of the warnings that depend on other rows than the relying party's own; without those that cannot be read: the
   * change that they are about may be stored already.
   */
  async storedWarnings(
    account: Account,
    tenant: string,
    rp: RelyingPartyEntity,
  ): Promise<readonly Problem[]> {
    const found = await Promise.all(
      this.warningSources.map((source) => source(rp).catch((): Problem[] => [])),
    );
    const besideOthers = warningsBesideOthers(this.relyingParties.current, account, tenant, rp);
    return [...besideOthers, ...found.flat()];
  }

  /** Closes the tenant and all of its relying parties at once; their data is deleted in small units. */
  async removeTenant(
    { commit }: ChangingCall,
    tenant: string,
    expected?: ExpectedTags,
  ): Promise<void> {
    await this.stored(async () => {
      const found = await this.tenant(tenant);
      ensureExpected(expected, found.changedAt);
      return (await commit(this.rows.tenantRemoval(found), { tenant })) || OVERTAKEN;
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
    await this.stored(async () => {
      const found = await this.relyingParty(tenant, domain);
      ensureExpected(expected, found.changedAt);
      ensureNotPredecessor(domain, await this.relyingParties.read());
      const facts = { tenant, relyingParty: domain };
      return (await commit(this.rows.removal(found), facts)) || OVERTAKEN;
    });
    void this.removal.runNow();
  }

  private async tryToAdd(
    { account: by, commit }: ChangingCall,
    tenant: string,
    dto: CreateRelyingPartyDto,
  ) {
    const { id: tenantId } = await this.tenant(tenant);
    const plan = planAddition(tenantId, dto, this.clock.now());
    const { planned, added } = plan;
    const basis = await this.readBasis(added.audiences);
    ensurePlanAllowed(by, tenant, plan, basis.open);
    const { domain } = planned;
    if (basis.open.some((rp) => rp.domain === domain)) {
      throw new ApiError('E0045R', 'relyingParty.taken', { domain });
    }
    const keyShapes = await keyShapesAfter(this.database, undefined, planned);
    const confirmedApps = confirmedAppsAfter(by, undefined, planned, dto.confirmedApps);
    const row = { ...planned, confirmedApps, keyShapes, foldsNames: ignoresCase(planned) ? 1 : 0 };
    const unit = this.rows.insertion(row, basis);
    return (await commit(unit, { tenant, relyingParty: domain })) ? row : OVERTAKEN;
  }

  /** Reads the state against which a change that adds these audiences is checked. */
  private async readBasis(audiences: readonly string[]): Promise<RelyingPartyChangeBasis> {
    const turn = audiences.length > 0 ? await this.rows.turn() : [];
    return { turn, open: await this.relyingParties.read() };
  }

  /** Repeats a change of the state against which it was checked, and lets this instance see it. */
  private async stored<T>(attempt: () => Promise<T | typeof OVERTAKEN>): Promise<T> {
    const stored = await untilStored('relyingParty.changing', attempt);
    await this.relyingParties.showStored();
    return stored;
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
