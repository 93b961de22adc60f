import { Injectable } from '@nestjs/common';
import { mapKey } from '../../platform/database/row-ids.js';
import { Database } from '../../platform/database/database.js';
import { scope, type Scope } from '../../platform/database/scope.js';
import type { Statement } from '../../platform/database/statement.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { nameFormOf } from '../name-forms.js';
import { credentialHashOf } from '../credentials/credential-reader.js';
import {
  OWNERS_OF_CREDENTIALS,
  OWNERS_OF_HANDLES,
  USERS_OF_HANDLES,
  USERS_OF_NAMES,
  USERS_OF_EXTERNAL_IDS,
} from './transfer.statements.js';
import type { TransferredUser } from './transferred.js';

/** A user who exists already, or whom this batch creates. */
export interface ImportedUser {
  readonly id: Buffer;
  credentials: number;
  /** Created by this batch, so not visible to others yet. */
  readonly isNew: boolean;
}

/** The owners of handles, external IDs or credentials. */
class Owners {
  private readonly ids = new Map<string, Buffer>();

  add(owned: Buffer, { id }: Pick<ImportedUser, 'id'>): void {
    this.ids.set(mapKey(owned), id);
  }

  /** Who has it: no user, this user, or another one. */
  kindOf(owned: Buffer, user: ImportedUser | undefined): 'nobody' | 'self' | 'other' {
    const id = this.ids.get(mapKey(owned));
    if (!id) return 'nobody';
    return user?.id.equals(id) ? 'self' : 'other';
  }
}

/**
 * The owners of the names, handles, external IDs and credentials in a batch of users. Rows that the batch is going to store
 * are added, so that repetitions within the batch are found too.
 */
export class ImportSnapshot {
  readonly handles = new Owners();
  readonly externalIds = new Owners();
  /** By the hashes of credential IDs. */
  readonly credentials = new Owners();
  /** Users by `nameKey`, the form in which the relying party compares names. */
  private readonly byName = new Map<string, ImportedUser>();

  constructor(private readonly rp: RelyingParty) {}

  user(username: string): ImportedUser | undefined {
    return this.byName.get(nameKey(this.rp, username));
  }

  addUser(username: string, user: ImportedUser): void {
    this.byName.set(nameKey(this.rp, username), user);
  }
}

/** Reads the snapshot for a batch: five statements, whatever the size of the batch. */
@Injectable()
export class ImportSnapshotReader {
  constructor(private readonly database: Database) {}

  async read(rp: RelyingParty, batch: readonly TransferredUser[]): Promise<ImportSnapshot> {
    const names = batch.map(({ username }) => Buffer.from(nameKey(rp, username), 'utf8'));
    const handles = batch.flatMap((user) => user.handles);
    const externalIds = batch.flatMap(({ externalId }) =>
      externalId === undefined ? [] : [Buffer.from(externalId, 'utf8')],
    );
    const hashes = batch.flatMap(({ keys }) =>
      keys.map(({ credentialId }) => credentialHashOf(credentialId)),
    );
    const [byName, byHandle, byExternalId, further, credentials] = await Promise.all([
      this.ask(nameFormOf(rp, USERS_OF_NAMES), rp, names),
      this.ask(USERS_OF_HANDLES, rp, handles),
      this.ask(USERS_OF_EXTERNAL_IDS, rp, externalIds),
      this.ask(OWNERS_OF_HANDLES, rp, handles),
      this.ask(OWNERS_OF_CREDENTIALS, rp, hashes),
    ]);
    const snapshot = new ImportSnapshot(rp);
    for (const row of byName) {
      snapshot.addUser(row.username.toString('utf8'), { ...row, isNew: false });
    }
    for (const row of [...byName, ...byHandle, ...byExternalId]) {
      snapshot.handles.add(row.userHandle, row);
      if (row.externalId) snapshot.externalIds.add(row.externalId, row);
    }
    for (const { userId: id, handle } of further) snapshot.handles.add(handle, { id });
    for (const { userId: id, credentialHash } of credentials) {
      snapshot.credentials.add(credentialHash, { id });
    }
    return snapshot;
  }

  private async ask<Row>(
    statement: Statement<Scope & { readonly list: readonly Buffer[] }, Row>,
    rp: RelyingParty,
    list: readonly Buffer[],
  ): Promise<Row[]> {
    return list.length === 0 ? [] : this.database.query(statement, { ...scope(rp), list });
  }
}
