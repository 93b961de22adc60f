import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Query } from '../../database/database.js';
import type { EventKind } from '../../ledger/ledger.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { normalizeName } from '../../validation/names.js';

/** Something that happened, as the ledger has it. */
export interface Happening {
  readonly id: Buffer;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly relyingPartyId: Buffer;
  readonly username: Buffer;
  /** First bytes of the credential's SHA-256; zeros for none. */
  readonly credential: Buffer;
  readonly kind: EventKind;
  readonly code: string | null;
  readonly detail: string | null;
  readonly requestId: string | null;
}

const COLUMNS = `id, at, relying_party_id AS relyingPartyId, username, credential, kind, code, detail,
  request_id AS requestId`;

/** Reads the ledger for the help desk: always a short range of an index, however long it is. */
@Injectable()
export class Timeline {
  private readonly byUser: Query<Happening>;
  private readonly byRequest: Query<Happening>;
  private readonly byTime: Query<Happening>;

  constructor(database: Database) {
    this.byUser = database.query(
      `SELECT ${COLUMNS} FROM events WHERE relying_party_id = ? AND username = ? AND at < ?
       ORDER BY at DESC, id DESC LIMIT ?`,
    );
    this.byRequest = database.query(
      `SELECT ${COLUMNS} FROM events WHERE request_id = ? ORDER BY id DESC LIMIT ?`,
    );
    this.byTime = database.query(
      `SELECT ${COLUMNS} FROM events WHERE relying_party_id = ? AND at >= ? AND at < ?
         AND kind IN ('registration-refused', 'authentication-refused')
       ORDER BY at DESC LIMIT ?`,
    );
  }

  /** What happened to a name before a moment, the newest first; it may be nobody's. */
  ofUser(
    rp: RelyingParty,
    username: string,
    { before, limit }: { before: number; limit: number },
  ): Promise<Happening[]> {
    return this.byUser.all(rp.id, Buffer.from(normalizeName(username), 'utf8'), before, limit);
  }

  /** What a request caused, at any relying party: the caller leaves out those not to be seen. */
  ofRequest(requestId: string, limit: number): Promise<Happening[]> {
    return this.byRequest.all(requestId, limit);
  }

  /** What was refused in a range of time, which should be short: all its events are looked at. */
  refusedBetween(
    rp: RelyingParty,
    { from, to, limit }: { from: number; to: number; limit: number },
  ): Promise<Happening[]> {
    return this.byTime.all(rp.id, from, to, limit);
  }
}
