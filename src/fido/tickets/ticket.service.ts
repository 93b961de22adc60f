import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { PersonalData } from '../../events/erasure/personal-data.js';
import { deleteStep, insertStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { ScopeOwner } from '../../platform/database/scope.js';
import { ignoresCase, nameKey } from '../../tenancy/relying-party.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { displayNameOf, normalizeName } from '../../platform/validation/values/names.js';
import { Ticket } from './ticket.entity.js';
import { BEGIN_WITH_TICKET, FIND_TICKET, USE_UP_TICKET } from './ticket.statements.js';
import type { TicketFacts } from './ticket.statements.js';

const TICKET_BYTES = 32;
/** Begin calls of a ticket: people cancel prompts and reload pages; after ten tries they ask for another. */
const MAX_BEGUN = 10;

const hashOf = (ticket: string) => hash('sha256', ticket, 'buffer');

/** The user for whom a ticket is issued, and its life. */
interface TicketRequest {
  readonly username: string;
  /** The name that the user gets, whatever the begin call says; if absent, the begin call's name counts. */
  readonly displayName?: string;
  /** Life in seconds. */
  readonly ttl: number;
}

/**
 * Permissions to register one credential, which a customer's backend asks for. A ticket begins a few
 * registrations, since people cancel and try again; the one that completes uses it up.
 */
@Injectable()
export class TicketService {
  constructor(
    @InjectRepository(Ticket) private readonly tickets: Repository<Ticket>,
    private readonly database: Database,
    private readonly clock: Clock,
    personal: PersonalData,
  ) {
    personal.keptBy((rp, { name }) => this.forget(rp, name));
  }

  private async forget(rp: ScopeOwner, username: string): Promise<void> {
    await this.database.commit([deleteStep(this.tickets, { relyingPartyId: rp.id, username })]);
  }

  /** @returns the ticket, Base64URL, of which only the hash is kept, and when it ends */
  async issue(rp: RelyingParty, { username, displayName, ttl }: TicketRequest) {
    const ticket = randomBytes(TICKET_BYTES).toString('base64url');
    const expiresAt = this.clock.now() + ttl * 1000;
    const row = {
      ticketHash: hashOf(ticket),
      ...scope(rp),
      username: normalizeName(username),
      displayName: displayName === undefined ? null : displayNameOf(displayName),
      expiresAt,
    };
    await this.database.commit([insertStep(this.tickets, row)]);
    return { ticket, expiresAt };
  }

  /**
   * Begins a registration with the ticket; of parallel attempts at most as many succeed as it has left.
   *
   * @returns its hash, by which it is used up, and the names that it was issued for; `undefined` for a ticket
   *   that is not valid, or not for this user
   */
  async begin(rp: RelyingParty, username: string, ticket: string) {
    const ticketHash = hashOf(ticket);
    const step = BEGIN_WITH_TICKET.guard({
      ...scope(rp),
      ticketHash,
      username: await this.nameOn(rp, ticketHash, username),
      now: this.clock.now(),
      most: MAX_BEGUN,
    });
    if (!(await this.database.commit([step]))) return undefined;
    const facts = await this.find(rp, ticketHash);
    if (!facts) return undefined;
    return {
      ticketHash,
      username: facts.username.toString('utf8'),
      displayName: facts.displayName,
    };
  }

  /**
   * The user name as the ticket writes it, if both names are the same where case does not count; else as the
   * caller writes it.
   */
  private async nameOn(rp: RelyingParty, ticketHash: Buffer, called: string): Promise<Buffer> {
    const facts = ignoresCase(rp) ? await this.find(rp, ticketHash) : undefined;
    const written = facts?.username.toString('utf8');
    const isSame = written !== undefined && nameKey(rp, written) === nameKey(rp, called);
    return Buffer.from(isSame ? written : normalizeName(called), 'utf8');
  }

  /** The step that uses a ticket up; its unit fails where the ticket was used up before. */
  useUp(rp: RelyingParty, ticketHash: Buffer): Step {
    return USE_UP_TICKET.guard({ ...scope(rp), ticketHash });
  }

  /** Finds a ticket; `undefined` for one that was used up, or never existed. */
  async find(rp: RelyingParty, ticketHash: Buffer): Promise<TicketFacts | undefined> {
    const [facts] = await this.database.query(FIND_TICKET, { ...scope(rp), ticketHash });
    return facts;
  }
}
