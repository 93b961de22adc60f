import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThanOrEqual } from 'typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { stepOf } from '../../database/commit/step-of.js';
import { Database } from '../../database/database.js';
import { scope, scopeParams } from '../../database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { normalizeName } from '../../validation/names.js';
import { Ticket } from './ticket.entity.js';
import { TAKE_TICKET } from './ticket.statements.js';

const TICKET_BYTES = 32;

const hashOf = (ticket: string) => hash('sha256', ticket, 'buffer');

/** One-time permissions to begin a registration, which a customer's backend asks for. */
@Injectable()
export class TicketService {
  constructor(
    @InjectRepository(Ticket) private readonly tickets: Repository<Ticket>,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * @param ttl life in seconds
   * @returns the ticket, Base64URL; only its hash is kept
   */
  async issue(rp: RelyingParty, username: string, ttl: number): Promise<string> {
    const ticket = randomBytes(TICKET_BYTES).toString('base64url');
    const now = this.clock.now();
    const row = {
      ticketHash: hashOf(ticket),
      ...scope(rp),
      username: normalizeName(username),
      expiresAt: now + ttl * 1000,
    };
    const expired = { expiresAt: LessThanOrEqual(now) };
    await this.database.commit([
      stepOf(this.tickets.createQueryBuilder().delete().where(expired)),
      stepOf(this.tickets.createQueryBuilder().insert().values(row)),
    ]);
    return ticket;
  }

  /** Uses the ticket up; of parallel tries one succeeds. Registrations pass here: no query builder. */
  take(rp: RelyingParty, username: string, ticket: string): Promise<boolean> {
    const name = Buffer.from(normalizeName(username), 'utf8');
    return this.database.commit([
      {
        sql: TAKE_TICKET,
        params: [...scopeParams(rp), hashOf(ticket), name, this.clock.now()],
        guard: true,
      },
    ]);
  }
}
