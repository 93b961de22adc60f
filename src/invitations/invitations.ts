import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, MoreThan, type FindOptionsWhere, type Repository } from 'typeorm';
import { atRelyingParty, type AuditFacts } from '../audit/request-rows.js';
import type { ChangingCall } from '../audit/audited.js';
import type { Account } from '../platform/access/accounts/account.js';
import { Clock } from '../platform/common/clock.js';
import { sha256 } from '../platform/common/sha256.js';
import { MAX_CEREMONY_MS } from '../platform/common/durations.js';
import { deleteInUnits } from '../platform/database/commit/delete-in-units.js';
import { insertStep } from '../platform/database/commit/step-of.js';
import type { Step } from '../platform/database/commit/unit.js';
import { newId } from '../platform/database/row-ids.js';
import { Database } from '../platform/database/database.js';
import { scope, type ScopeOwner } from '../platform/database/scope.js';
import type { ErasedName } from '../events/erasure/ledger-erasure.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { foldedName } from '../platform/validation/values/folded-name.js';
import { displayNameOf } from '../platform/validation/values/names.js';
import { LockOuts, type LockedOutUser, type RevocablePermits } from '../users/lock-outs.js';
import { MoveSteps } from '../users/moves/move-steps.js';
import { nameFormOf } from '../users/name-forms.js';
import { PermissionOwners } from '../users/permission-owners.js';
import { STATE_REASONS, invitationStateOf } from './invitation-state.js';
import type { InvitationDto } from './invitation.dto.js';
import { Invitation } from './invitation.entity.js';
import {
  COUNT_INVITATIONS_OF_USER,
  DELETE_INVITATIONS,
  INVITATIONS_OF_NAME,
  REVOKE_INVITATION,
  REVOKE_INVITATIONS_OF_USER,
} from './invitation.statements.js';

const CODE_BYTES = 16;
/** 128 bits as Base64URL. A ticket of a backend has twice as many. */
const CODE = /^[\w-]{22}$/;
const MAX_LISTED = 200;
/** The number of invitations of an erased name that are deleted at a time. */
const FORGOTTEN = 200;

export interface InvitationRequest extends Readonly<
  Pick<InvitationDto, 'username' | 'displayName' | 'ttl' | 'minKeys'>
> {
  readonly issuer: Account;
}

export const isCode = (text: string): boolean => CODE.test(text);

/** The members of the audit row of an issued or revoked invitation. */
export const invitationFacts = (
  rp: RelyingParty,
  { id, username, minKeys }: Invitation,
  isLinked = false,
): AuditFacts => ({
  ...atRelyingParty(rp),
  target: username,
  detail: {
    invitation: id.toString('base64url'),
    keys: minKeys,
    ...(isLinked && { linked: true }),
  },
});

/** Creates, lists and revokes invitations. */
@Injectable()
export class Invitations implements RevocablePermits {
  readonly kind = 'invitations';

  constructor(
    @InjectRepository(Invitation) private readonly invitations: Repository<Invitation>,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly owners: PermissionOwners,
    private readonly moveSteps: MoveSteps,
    lockOuts: LockOuts,
  ) {
    lockOuts.register(this);
  }

  async ending(rp: RelyingParty, user: LockedOutUser) {
    const now = this.clock.now();
    const its = { ...scope(rp), ...user, since: now - MAX_CEREMONY_MS };
    const [row] = await this.database.query(nameFormOf(rp, COUNT_INVITATIONS_OF_USER), its);
    const count = row?.n ?? 0;
    return {
      count,
      step: nameFormOf(rp, REVOKE_INVITATIONS_OF_USER).mustChange({ ...its, now }, count),
    };
  }

  /**
   * Creates an invitation, which its unit stores.
   *
   * @param movingId the ID of the user of a predecessor for whom the invitation is
   * @param steps first steps of the unit
   * @returns the code, of which only the hash is stored, the row, the unit, and whether the user is suspended
   */
  async create(
    rp: RelyingParty,
    { username: called, displayName, ttl, minKeys, issuer }: InvitationRequest,
    { movingId, steps = [] }: { movingId?: Buffer | undefined; steps?: readonly Step[] } = {},
  ) {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const now = this.clock.now();
    const { username, userId, isSuspended } = await this.owners.named(rp, called);
    const invitation: Invitation = {
      id: newId(),
      ...scope(rp),
      // A plain hash is enough, because a random code cannot be guessed.
      codeHash: sha256(code),
      username,
      foldedName: Buffer.from(foldedName(username)),
      userId: movingId ?? userId,
      displayName: displayName === undefined ? null : displayNameOf(displayName),
      issuedBy: issuer.name,
      issuedAt: now,
      expiresAt: now + ttl * 1000,
      endedAt: null,
      minKeys,
      keysMade: 0,
      begun: 0,
      wrongNames: 0,
      mayLink: this.moveSteps.mayLink(rp, issuer.key),
    };
    const unit = [...steps, insertStep(this.invitations, invitation)];
    return { code, invitation, unit, isSuspended };
  }

  /**
   * Lists at most 200 invitations of a relying party, or of the current user of a name, newest first.
   * Invitations of former users of the name are not valid.
   */
  async list(rp: RelyingParty, username?: string): Promise<Invitation[]> {
    return this.invitations.find({
      where: username === undefined ? scope(rp) : await this.owners.conditionsFor(rp, username),
      order: { issuedAt: 'DESC', id: 'DESC' },
      take: MAX_LISTED,
    });
  }

  /** The invitations of a name with valid links, newest first. */
  async open(rp: RelyingParty, username: string): Promise<Invitation[]> {
    const now = this.clock.now();
    const all = await this.findActive(rp, username);
    return all.filter((one) => invitationStateOf(one, now) === 'open');
  }

  /** The invitations of a name that can still create a key, newest first. */
  async findActive(rp: RelyingParty, username: string): Promise<Invitation[]> {
    const active = { endedAt: IsNull(), expiresAt: MoreThan(this.clock.now() - MAX_CEREMONY_MS) };
    const named = await this.owners.conditionsFor(rp, username);
    const found = await this.invitations.find({
      where: named.map((its) => ({ ...its, ...active })),
      order: { issuedAt: 'DESC', id: 'DESC' },
    });
    return found.filter(({ keysMade, minKeys }) => keysMade < minKeys);
  }

  /** Deletes the invitations of an erased user. */
  async forget(rp: ScopeOwner, { name, since, until }: ErasedName): Promise<void> {
    const username = Buffer.from(name, 'utf8');
    const params = { ...scope(rp), username, since, until, limit: FORGOTTEN };
    await deleteInUnits(this.database, {
      find: () => this.database.query(INVITATIONS_OF_NAME, params),
      remove: (ids) => [DELETE_INVITATIONS.step({ ...scope(rp), ids })],
    });
  }

  /** Finds the invitation of a code, whatever its state; `undefined` if there is none. */
  async find(rp: RelyingParty, code: string): Promise<Invitation | undefined> {
    return isCode(code) ? this.one(rp, { codeHash: sha256(code) }) : undefined;
  }

  /**
   * Finds the invitation of an ID, whatever its state; `undefined` if there is none. Erasing a user deletes
   * the user's invitations.
   */
  byId(rp: RelyingParty, id: string): Promise<Invitation | undefined> {
    return this.one(rp, { id: Buffer.from(id, 'base64url') });
  }

  /** @throws ApiError E0044R if the relying party has no such invitation */
  async get(rp: RelyingParty, id: string): Promise<Invitation> {
    const found = await this.byId(rp, id);
    if (!found) throw new ApiError('E0044R', 'invitation.unknown');
    return found;
  }

  /**
   * Ends an invitation: its link no longer works, and a registration begun with it creates no key.
   *
   * @throws ApiError E0044R if there is none; E0045R if it can no longer create a key
   */
  async revoke({ commit }: ChangingCall, rp: RelyingParty, id: string): Promise<Invitation> {
    const found = await this.get(rp, id);
    if (await commit([this.revocation(rp, found)], invitationFacts(rp, found))) {
      return { ...found, endedAt: this.clock.now() };
    }
    const state = invitationStateOf(await this.get(rp, id), this.clock.now());
    throw new ApiError('E0045R', state === 'open' ? 'parameters.wrong' : STATE_REASONS[state]);
  }

  /** The step that ends an invitation. Its unit fails if the invitation can no longer create a key. */
  revocation(rp: RelyingParty, { id }: Invitation): Step {
    const now = this.clock.now();
    // A ceremony that was begun in time may end after the invitation has expired.
    return REVOKE_INVITATION.mustChange({ ...scope(rp), id, now, since: now - MAX_CEREMONY_MS });
  }

  private async one(rp: RelyingParty, which: FindOptionsWhere<Invitation>) {
    return (await this.invitations.findOne({ where: { ...scope(rp), ...which } })) ?? undefined;
  }
}
