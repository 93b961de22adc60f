import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { scope, type Scope } from '../../platform/database/scope.js';
import type { Statement } from '../../platform/database/statement.js';
import { ignoresCase, nameKey, type RelyingParty } from '../../tenancy/relying-party.js';
import { credentialHashOf } from '../credentials/credential-reader.js';
import {
  OWNERS_OF_CREDENTIALS,
  OWNERS_OF_HANDLES,
  USERS_OF_FOLDED_NAMES,
  USERS_OF_HANDLES,
  USERS_OF_NAMES,
  USERS_OF_SUBJECTS,
  type ExistingUserRow,
} from './transfer.statements.js';
import type { TransferredUser } from './transferred.js';

/** A user who exists already, or whom this batch creates. */
export interface ImportedUser {
  readonly id: Buffer;
  credentials: number;
  /** Created by this batch, so not visible to others yet. */
  readonly isNew: boolean;
}

/**
 * The owners of the names, handles, subjects and credentials in a batch of users. Rows that the batch is going to store
 * are added, so that repetitions within the batch are found too.
 */
export class ImportSnapshot {
  /** Users by `nameKey`, the form in which the relying party compares names. */
  private readonly byName = new Map<string, ImportedUser>();
  private readonly byHandle = new Map<string, string>();
  private readonly bySubject = new Map<string, string>();
  private readonly byCredential = new Map<string, string>();

  constructor(private readonly rp: RelyingParty) {}

  user(username: string): ImportedUser | undefined {
    return this.byName.get(nameKey(this.rp, username));
  }

  addUser(username: string, user: ImportedUser): void {
    this.byName.set(nameKey(this.rp, username), user);
  }

  addHandle(handle: Buffer, { id }: Pick<ImportedUser, 'id'>): void {
    this.byHandle.set(keyOf(handle), keyOf(id));
  }

  addSubject(subject: string, { id }: Pick<ImportedUser, 'id'>): void {
    this.bySubject.set(subject, keyOf(id));
  }

  addCredential(credentialHash: Buffer, { id }: Pick<ImportedUser, 'id'>): void {
    this.byCredential.set(keyOf(credentialHash), keyOf(id));
  }

  /** Who has the handle: no user, this user, or another one. */
  handleOf(handle: Buffer, user: ImportedUser | undefined): OwnerKind {
    return ownerOf(this.byHandle.get(keyOf(handle)), user);
  }

  subjectOf(subject: string, user: ImportedUser | undefined): OwnerKind {
    return ownerOf(this.bySubject.get(subject), user);
  }

  credentialOf(credentialHash: Buffer, user: ImportedUser | undefined): OwnerKind {
    return ownerOf(this.byCredential.get(keyOf(credentialHash)), user);
  }
}

type OwnerKind = 'nobody' | 'self' | 'other';

const keyOf = (bytes: Buffer): string => bytes.toString('latin1');

function ownerOf(found: string | undefined, user: ImportedUser | undefined): OwnerKind {
  if (found === undefined) return 'nobody';
  return user && keyOf(user.id) === found ? 'self' : 'other';
}

/** Reads the snapshot for a batch: five statements, whatever the size of the batch. */
@Injectable()
export class ImportSnapshotReader {
  constructor(private readonly database: Database) {}

  async read(rp: RelyingParty, batch: readonly TransferredUser[]): Promise<ImportSnapshot> {
    const names = batch.map(({ username }) => Buffer.from(nameKey(rp, username), 'utf8'));
    const handles = batch.flatMap((user) => user.handles);
    const subjects = batch.flatMap(({ subject }) =>
      subject === undefined ? [] : [Buffer.from(subject, 'utf8')],
    );
    const hashes = batch.flatMap(({ keys }) =>
      keys.map(({ credentialId }) => credentialHashOf(credentialId)),
    );
    const [named, handled, subjected, further, held] = await Promise.all([
      this.ask(ignoresCase(rp) ? USERS_OF_FOLDED_NAMES : USERS_OF_NAMES, rp, names),
      this.ask(USERS_OF_HANDLES, rp, handles),
      this.ask(USERS_OF_SUBJECTS, rp, subjects),
      this.ask(OWNERS_OF_HANDLES, rp, handles),
      this.ask(OWNERS_OF_CREDENTIALS, rp, hashes),
    ]);
    const snapshot = new ImportSnapshot(rp);
    for (const row of named) {
      snapshot.addUser(row.username.toString('utf8'), { ...row, isNew: false });
    }
    for (const row of [...named, ...handled, ...subjected]) addFacts(snapshot, row);
    for (const { userId: id, handle } of further) snapshot.addHandle(handle, { id });
    for (const { userId: id, credentialHash } of held)
      snapshot.addCredential(credentialHash, { id });
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

function addFacts(snapshot: ImportSnapshot, row: ExistingUserRow): void {
  snapshot.addHandle(row.userHandle, row);
  if (row.subject) snapshot.addSubject(row.subject.toString('utf8'), row);
}
