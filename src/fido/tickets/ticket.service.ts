import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import type { ChangingCall } from '../../audit/audited.js';
import { atRelyingParty } from '../../audit/request-rows.js';
import { Clock } from '../../platform/common/clock.js';
import type { ErasedName } from '../../events/erasure/ledger-erasure.js';
import { deleteInUnits } from '../../platform/database/commit/delete-in-units.js';
import { deleteStep, insertStep, mustChange } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { NO_ID } from '../../platform/database/row-ids.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import type { KnownUser } from '../../users/credentials/credential-reader.js';
import { LockOuts, type LockedOutUser, type RevocablePermits } from '../../users/lock-outs.js';
import { MoveSteps } from '../../users/moves/move-steps.js';
import { nameFormOf } from '../../users/name-forms.js';
import { PermissionOwners } from '../../users/permission-owners.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { displayNameOf } from '../../platform/validation/values/names.js';
import { DAY_SECONDS } from '../../platform/common/durations.js';
import { sha256 } from '../../platform/common/sha256.js';
import { Ticket } from './ticket.entity.js';
import {
  BEGIN_WITH_TICKET,
  COUNT_TICKETS_OF_USER,
  END_TICKETS_OF_USER,
  FIND_TICKET,
  REMOVE_TICKETS,
  TICKETS_OF_NAME,
  USE_UP_TICKET,
} from './ticket.statements.js';

const TICKET_BYTES = 32;
/** The longest lifetime of a ticket, in seconds. */
export const MAX_TICKET_TTL = DAY_SECONDS;
/** Begin calls per ticket: users cancel prompts and reload pages; after ten attempts they need another ticket. */
const MAX_BEGUN = 10;
const MAX_LISTED = 200;
/** How many tickets of an erased name are deleted per statement. */
const FORGOTTEN = 200;

const WORN_OUT = `The ticket has expired, or has begun ${MAX_BEGUN} registrations.`;

/** The refusal of a ticket. @param lack why, for the log; the caller must not learn it */
export const ticketNotValid = (lack: string): ApiError =>
  new ApiError('E0043R', 'ticket.notValid', {}, { cause: new Error(lack) });

/** The user for whom a ticket is issued, and its lifetime. */
interface TicketRequest {
  readonly username: string;
  /** The user's display name, which overrides the begin call's; if absent, the begin call's is used. */
  readonly displayName?: string;
  /** Lifetime in seconds. */
  readonly ttl: number;
}

/** A begin call with a ticket. */
interface TicketUse {
  readonly username: string;
  /** The user who has the name here. */
  readonly user: KnownUser | undefined;
  readonly ticket: string;
}

/**
 * Permissions to register one credential, issued to a customer's backend. A ticket can begin a few registrations,
 * since users cancel and try again; the first that completes uses it up.
 */
@Injectable()
export class TicketService implements RevocablePermits {
  readonly kind = 'tickets';

  constructor(
    @InjectRepository(Ticket) private readonly tickets: Repository<Ticket>,
    private readonly owners: PermissionOwners,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly moveSteps: MoveSteps,
    lockOuts: LockOuts,
  ) {
    lockOuts.register(this);
  }

  /** Includes expired tickets, since a registration that was begun in time may end later. */
  async ending(rp: RelyingParty, user: LockedOutUser) {
    const params = { ...scope(rp), ...user };
    const [row] = await this.database.query(nameFormOf(rp, COUNT_TICKETS_OF_USER), params);
    const count = row?.n ?? 0;
    return { count, step: nameFormOf(rp, END_TICKETS_OF_USER).mustChange(params, count) };
  }

  /** Deletes the tickets of an erased user. */
  async forget(rp: ScopeOwner, { name, userId, since, until }: ErasedName): Promise<void> {
    const username = Buffer.from(name, 'utf8');
    const longestTtl = MAX_TICKET_TTL * 1000;
    const time = { since, until: until + longestTtl, heldUntil: until, longestTtl };
    const whose = { username, userId, nobody: NO_ID };
    const params = { ...scope(rp), ...whose, ...time, limit: FORGOTTEN };
    await deleteInUnits(this.database, {
      find: () => this.database.query(TICKETS_OF_NAME, params),
      remove: (ids) => [REMOVE_TICKETS.step({ ids })],
    });
  }

  /**
   * Lists at most 200 valid tickets of a relying party, or of the current user of a name, sorted by user name. Tickets of
   * former users of the name are not valid.
   */
  async list(rp: RelyingParty, called?: string): Promise<Ticket[]> {
    const named = called === undefined ? [scope(rp)] : await this.owners.conditionsFor(rp, called);
    const expiresAt = MoreThan(this.clock.now());
    return this.tickets.find({
      where: named.map((its) => ({ ...its, expiresAt })),
      order: { username: 'ASC', expiresAt: 'DESC', ticketHash: 'ASC' },
      take: MAX_LISTED,
    });
  }

  /**
   * Revokes a ticket: it begins no registration, and one that was begun with it creates no key.
   *
   * @param id the hash of the ticket, Base64URL
   * @throws ApiError E0044R if there is none
   */
  async revoke({ commit }: ChangingCall, rp: RelyingParty, id: string): Promise<Ticket> {
    const which = { ...scope(rp), ticketHash: Buffer.from(id, 'base64url') };
    const found = await this.tickets.findOneBy(which);
    const facts = { ...atRelyingParty(rp), target: found?.username };
    const isRevoked = found && (await commit([mustChange(deleteStep(this.tickets, which))], facts));
    if (!isRevoked) throw new ApiError('E0044R', 'ticket.unknown');
    return found;
  }

  /**
   * Issues a ticket. A suspended user can use it only after the suspension has ended.
   *
   * @returns the ticket, Base64URL, of which only the hash is stored, the name as it is registered, when the ticket
   *   expires, and whether its user is suspended
   */
  async issue(
    { account, commit }: ChangingCall,
    rp: RelyingParty,
    { username: called, displayName, ttl }: TicketRequest,
  ) {
    const ticket = randomBytes(TICKET_BYTES).toString('base64url');
    const expiresAt = this.clock.now() + ttl * 1000;
    const { username, userId, isSuspended } = await this.owners.named(rp, called);
    const row = {
      ticketHash: sha256(ticket),
      ...scope(rp),
      username,
      foldedName: Buffer.from(foldedName(username)),
      userId,
      displayName: displayName === undefined ? null : displayNameOf(displayName),
      expiresAt,
      mayLink: this.moveSteps.mayLink(rp, account.key),
      issuer: account.key ? ('application' as const) : ('account' as const),
    };
    await commit([insertStep(this.tickets, row)], { ...atRelyingParty(rp), target: username });
    return { ticket, username, expiresAt, isSuspended };
  }

  /**
   * Checks whether the ticket permits a registration.
   *
   * @returns its hash, by which it is used up, the names that it was issued for, and `count`, which counts the begin
   *   call: to be called once nothing else refuses it; for a ticket that is not valid, or not for this user, a sentence
   *   for the log, which the caller must not learn
   */
  async check(rp: RelyingParty, { username: called, user, ticket }: TicketUse) {
    const ticketHash = sha256(ticket);
    const found = await this.find(rp, ticketHash);
    if (!found) return { lack: 'The ticket was used or revoked, or never existed.' };
    const { username, displayName, mayLink, issuer, expiresAt, begun } = found;
    if (nameKey(rp, username) !== nameKey(rp, called)) {
      return { lack: 'The ticket is for another user name.' };
    }
    const owner = await this.owners.ownerOf(rp, called, user);
    if (!(await this.owners.isFor(rp, found, owner))) {
      return { lack: 'The ticket is for another user, who had this name.' };
    }
    if (expiresAt <= this.clock.now() || begun >= MAX_BEGUN) return { lack: WORN_OUT };
    const count = () => this.countBegun(rp, ticketHash);
    return { ticketHash, username, displayName, mayLink, origin: issuer ?? undefined, count };
  }

  /**
   * Of parallel begin calls, at most as many succeed as the ticket has left.
   *
   * @throws ApiError E0043R
   */
  private async countBegun(rp: RelyingParty, ticketHash: Buffer): Promise<void> {
    const limits = { now: this.clock.now(), most: MAX_BEGUN };
    const step = BEGIN_WITH_TICKET.mustChange({ ...scope(rp), ticketHash, ...limits });
    if (!(await this.database.commit([step]))) throw ticketNotValid(WORN_OUT);
  }

  /**
   * The step that uses a ticket up; its unit fails if the ticket was used up before, or is for another user.
   *
   * @param owner the ID of the key's future user, as returned by `PermissionOwners.ownerOf`
   */
  useUp(rp: RelyingParty, ticketHash: Buffer, owner: Buffer): Step {
    return USE_UP_TICKET.mustChange({ ...scope(rp), ticketHash, owner });
  }

  /**
   * Finds a ticket; `undefined` if it was used up, or never existed. The time of issue is not stored: `issuedAt` is the
   * earliest possible one.
   */
  async find(rp: RelyingParty, ticketHash: Buffer) {
    const [row] = await this.database.query(FIND_TICKET, { ...scope(rp), ticketHash });
    if (!row) return undefined;
    const { username, displayName, userId, expiresAt, issuer, begun } = row;
    const issuedAt = expiresAt - MAX_TICKET_TTL * 1000;
    const mayLink = Boolean(row.mayLink);
    const names = { username: username.toString('utf8'), displayName };
    return { ...names, userId, issuedAt, expiresAt, mayLink, issuer, begun };
  }
}
