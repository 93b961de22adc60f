import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Database } from '../../database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { normalizeName } from '../../validation/names.js';

const TICKET_BYTES = 32;

const hashOf = (ticket: string) => hash('sha256', ticket, 'buffer');
const usernameBytes = (username: string) => Buffer.from(normalizeName(username), 'utf8');

/** One-time permissions to begin a registration, which a customer's backend asks for. */
@Injectable()
export class TicketService {
  constructor(
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
    await this.database.commit([
      { sql: 'DELETE FROM tickets WHERE expires_at <= ?', params: [now] },
      {
        sql: `INSERT INTO tickets (ticket_hash, relying_party_id, username, expires_at)
              VALUES (?, ?, ?, ?)`,
        params: [hashOf(ticket), rp.id, usernameBytes(username), now + ttl * 1000],
      },
    ]);
    return ticket;
  }

  /** Uses the ticket up; of parallel tries one succeeds. */
  take(rp: RelyingParty, username: string, ticket: string): Promise<boolean> {
    return this.database.commit([
      {
        sql: `DELETE FROM tickets WHERE ticket_hash = ? AND relying_party_id = ? AND username = ?
                AND expires_at > ?`,
        params: [hashOf(ticket), rp.id, usernameBytes(username), this.clock.now()],
        guard: true,
      },
    ]);
  }
}
