import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import type { ChangingCall } from '../../audit/audited.js';
import { Clock } from '../../platform/common/clock.js';
import { randomText } from '../../platform/common/random.js';
import { sha256 } from '../../platform/common/sha256.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import {
  deleteStep,
  insertStep,
  mustChange,
  updateStep,
} from '../../platform/database/commit/step-of.js';
import { Database } from '../../platform/database/database.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Problem } from '../../platform/errors/reasons.js';
import { ensureExpected, type ExpectedTags } from '../../platform/http/versions.js';
import type { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { IssuerKeys } from '../issuer-keys.js';
import { pageProblem } from '../page-problem.js';
import { ensureMembersOf, type ChangeClientDto, type CreateClientDto } from './oidc-client.dto.js';
import { CLIENT_KINDS, OidcClient, doorOf, type Door } from './oidc-client.entity.js';
import {
  CLIENT_OF_ISSUER,
  LOCK_RELYING_PARTY_WITH_ROOM,
  clientOf,
} from './oidc-client.statements.js';

const ID_BYTES = 16;
const SECRET_BYTES = 32;
const MAX_CLIENTS = 100;

/** A client and its new secret, which is shown only once; only servers have one. */
interface ClientWithSecret {
  readonly client: OidcClient;
  readonly secret: string | undefined;
}

const noSuchClient = () => new ApiError('E0044R', 'oidc.noClient');

/** Adds, changes and removes the clients of relying parties. */
@Injectable()
export class OidcClients {
  constructor(
    @InjectRepository(OidcClient) private readonly rows: Repository<OidcClient>,
    private readonly database: Database,
    private readonly keys: IssuerKeys,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    tenancy: TenancyService,
  ) {
    tenancy.registerWarnings((rp) => this.warnings(rp));
  }

  /** The clients of a relying party, in the order of their names. */
  list(rp: RelyingParty): Promise<OidcClient[]> {
    return this.rows.find({ where: scope(rp), order: { name: 'ASC', clientId: 'ASC' } });
  }

  /** @throws ApiError E0044R */
  async find(rp: RelyingParty, clientId: string): Promise<OidcClient> {
    const found = await this.rows.findOneBy({ ...scope(rp), clientId });
    // MySQL ignores blanks at the end of an ID.
    if (found?.clientId !== clientId) throw noSuchClient();
    return found;
  }

  /**
   * The client of an issuer, which is a relying party at a door. It is read from the database now: a removed client is
   * unknown on all instances at once.
   */
  async findOfIssuer(
    rp: ScopeOwner,
    door: Door,
    clientId: string,
  ): Promise<OidcClient | undefined> {
    const [row] = await this.database.query(CLIENT_OF_ISSUER, { ...scope(rp), clientId });
    // MySQL ignores blanks at the end of an ID.
    if (row?.clientId !== clientId || doorOf(row) !== door) return undefined;
    return clientOf(row);
  }

  /**
   * Adds a client, and creates the signing key of its algorithm if the issuer has none.
   *
   * @throws ApiError E0044R if the relying party was removed; E0045R for a kind whose door is closed, if users could not
   *   sign in on this server's page, and for too many clients
   */
  async create(
    { account: by, commit }: ChangingCall,
    rp: RelyingParty,
    dto: CreateClientDto,
  ): Promise<ClientWithSecret> {
    const door = doorOf(dto);
    if (!this.options[door]) throw new ApiError('E0045R', 'oidc.kindOff', { option: door });
    ensureMembersOf(dto.kind, dto);
    const wrong = pageProblem(this.options, rp);
    if (wrong) throw ApiError.of('E0045R', wrong);
    const secret = dto.kind === 'web' ? randomText(SECRET_BYTES) : undefined;
    const client = newClient(rp, dto, {
      secretHash: secret === undefined ? null : sha256(secret),
      createdAt: this.clock.now(),
      createdBy: by.name,
    });
    // A refused call leaves no signing key; the unit decides about calls at the same time.
    await this.ensureRoom(rp);
    await this.keys.ensure(rp, door, client.algorithm);
    const room = LOCK_RELYING_PARTY_WITH_ROOM.mustChange({ ...scope(rp), most: MAX_CLIENTS });
    const unit = [room, insertStep(this.rows, client)];
    if (await commit(unit, clientFacts(client))) return { client, secret };
    await this.ensureRoom(rp);
    throw new ApiError('E0044R', 'tenant.noRelyingParty');
  }

  private async ensureRoom(rp: RelyingParty): Promise<void> {
    if ((await this.rows.countBy(scope(rp))) < MAX_CLIENTS) return;
    throw new ApiError('E0045R', 'oidc.tooManyClients', { most: MAX_CLIENTS });
  }

  /** @throws ApiError E0044R; E0045R for members of other kinds; E0053R if none of the expected tags matches */
  async change(
    { commit }: ChangingCall,
    found: { readonly rp: RelyingParty; readonly clientId: string },
    dto: ChangeClientDto,
    expected?: ExpectedTags,
  ): Promise<OidcClient> {
    const { groups: groupsAllowed, tenantId, appId, userClaim, ...members } = dto;
    return untilStored('resource.changing', async () => {
      const before = await this.find(found.rp, found.clientId);
      ensureExpected(expected, before.changedAt);
      ensureMembersOf(before.kind, dto);
      if (Object.keys(given(dto)).length === 0) {
        await commit([], { target: before.clientId, detail: { changed: false } });
        return before;
      }
      if (members.algorithm) await this.keys.ensure(found.rp, 'oidc', members.algorithm);
      const entra = before.entra && { ...before.entra, ...given({ tenantId, appId, userClaim }) };
      const changes = { ...given({ ...members, groupsAllowed }), ...(entra && { entra }) };
      const changedAt = Math.max(this.clock.now(), before.changedAt + 1);
      const after = { ...before, ...changes, changedAt };
      const step = mustChange(updateStep(this.rows, versionOf(before), { ...changes, changedAt }));
      return (await commit([step], clientFacts(after))) ? after : OVERTAKEN;
    });
  }

  /**
   * Replaces the secret of a client; the former one is invalid at once.
   *
   * @throws ApiError E0044R; E0045R for a client without a secret
   */
  async rotate({ commit }: ChangingCall, rp: RelyingParty, clientId: string) {
    return untilStored('resource.changing', async () => {
      const before = await this.find(rp, clientId);
      if (before.kind !== 'web') throw new ApiError('E0045R', 'oidc.noSecret');
      const secret = randomText(SECRET_BYTES);
      const changedAt = Math.max(this.clock.now(), before.changedAt + 1);
      const changes = { secretHash: sha256(secret), changedAt };
      const step = mustChange(updateStep(this.rows, versionOf(before), changes));
      if (!(await commit([step], clientFacts(before)))) return OVERTAKEN;
      return { client: { ...before, ...changes }, secret };
    });
  }

  /** @throws ApiError E0044R; E0053R if none of the expected tags matches */
  async remove(
    { commit }: ChangingCall,
    rp: RelyingParty,
    clientId: string,
    expected?: ExpectedTags,
  ): Promise<OidcClient> {
    return untilStored('resource.changing', async () => {
      const client = await this.find(rp, clientId);
      ensureExpected(expected, client.changedAt);
      const step = mustChange(deleteStep(this.rows, versionOf(client)));
      return (await commit([step], clientFacts(client))) ? client : OVERTAKEN;
    });
  }

  /** Why users cannot sign in at the clients that a relying party has; nothing for one without clients. */
  private async warnings(rp: RelyingPartyEntity): Promise<readonly Problem[]> {
    const wrong = pageProblem(this.options, rp);
    if (!wrong) return [];
    const kind = In(CLIENT_KINDS.filter((one) => this.options[doorOf({ kind: one })]));
    return (await this.rows.existsBy({ ...scope(rp), kind })) ? [wrong] : [];
  }
}

type ClientOrigin = Pick<OidcClient, 'secretHash' | 'createdAt' | 'createdBy'>;

function newClient(rp: RelyingParty, dto: CreateClientDto, origin: ClientOrigin): OidcClient {
  const { name, kind, redirectUris = [], postLogoutRedirectUris = [], groups = false } = dto;
  const { tenantId = '', appId = '', userClaim = 'oid' } = dto;
  return {
    ...scope(rp),
    ...origin,
    clientId: randomText(ID_BYTES),
    name,
    kind,
    redirectUris,
    postLogoutRedirectUris,
    algorithm: dto.algorithm ?? (kind === 'entra' ? 'RS256' : 'ES256'),
    groupsAllowed: groups,
    entra: kind === 'entra' ? { tenantId, appId, userClaim } : null,
    changedAt: origin.createdAt,
  };
}

const versionOf = ({ tenantId, relyingPartyId, clientId, changedAt }: OidcClient) => ({
  tenantId,
  relyingPartyId,
  clientId,
  changedAt,
});

/** The members that have a value. */
const given = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const clientFacts = ({ clientId, name, kind, redirectUris, entra }: OidcClient) => ({
  target: clientId,
  detail: { name, kind, redirectUris: redirectUris.join(' '), ...entra },
});
