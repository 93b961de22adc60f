import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Query } from '../../database/database.js';

/** What is known of a credential's origin. */
export interface AttestationFacts {
  readonly type: string;
  readonly trusted: boolean;
  readonly userVerified: boolean;
}

interface Row {
  readonly id: Buffer;
  readonly type: string;
  readonly trusted: number;
  readonly userVerified: number;
}

/** Reads what the registration proved, which lists leave out. */
@Injectable()
export class AttestationReader {
  private readonly byUser: Query<Row>;

  constructor(database: Database) {
    this.byUser = database.query(
      `SELECT id, attestation_type AS type, attestation_trusted AS trusted,
         user_verified AS userVerified
       FROM credentials WHERE user_id = ?`,
    );
  }

  /** By the row's ID (hex) of each credential of a user. */
  async ofUser(userId: Buffer): Promise<ReadonlyMap<string, AttestationFacts>> {
    const rows = await this.byUser.all(userId);
    return new Map(
      rows.map(({ id, type, trusted, userVerified }) => [
        id.toString('hex'),
        { type, trusted: Boolean(trusted), userVerified: Boolean(userVerified) },
      ]),
    );
  }
}
