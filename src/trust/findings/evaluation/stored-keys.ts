import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Attestations } from '../../../users/attestations/attestations.js';
import type { IndexedAttestation } from '../../../users/attestations/attestation.entity.js';
import {
  hasShared,
  proofOf,
  sharedBy,
  statementOf,
  type SharedCertificates,
} from '../../../users/attestations/evidence.js';
import { Database } from '../../../platform/database/database.js';
import { scope } from '../../../platform/database/scope.js';
import type { RowOf } from '../../../platform/database/statement.js';
import { distinctBytes, mapKey } from '../../../platform/database/row-ids.js';
import { MAX_CREDENTIALS } from '../../../users/credentials/credential.entity.js';
import { GROUPS_OF_DELETION } from '../../../users/deletions/deletion.statements.js';
import { GroupsInForce } from '../../../users/moves/groups-in-force.js';
import type { KeptDeletion } from '../../../users/deletions/restoring-steps.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { readAttestationObject } from '../../../webauthn/attestation/attestation-object.js';
import type {
  AttestationStatement,
  AttestationType,
} from '../../../webauthn/attestation/format.js';
import { parseAttestedAuthenticatorData } from '../../../webauthn/authenticator-data.js';
import {
  KEYS_OF_DELETION,
  KEYS_OF_IDS,
  KEYS_OF_MODEL,
  KEYS_OF_USERS,
  KEYS_TO_EVALUATE,
  KEYS_TO_TRY,
  OWNERS_OF_KEYS,
  type EvaluatedKeyRow,
} from '../finding.statements.js';
import { EVERY_KEY, type EvaluationPlace } from './evaluation-place.js';
import type { KeyToEvaluate } from './key-evaluation.js';

interface StoredStatement {
  readonly evidence: string;
  readonly certificates: Buffer;
  readonly authorities: Buffer;
}

const hasStatement = <R extends EvaluatedKeyRow>(row: R): row is R & StoredStatement =>
  row.evidence !== null;

/** Whether a rule is about what the authenticator itself reported and signed. */
const needsProofs = ({ policy }: RelyingParty): boolean =>
  [policy, ...policy.profiles.map(({ rules }) => rules)].some(
    ({ minPinLength }) => minPinLength !== undefined,
  );

/** A key with further columns for a trial. */
export type KeyToTry = KeyToEvaluate &
  Pick<RowOf<typeof KEYS_TO_TRY>, 'credentialId' | 'deviceName' | 'uvInitialized'> &
  Pick<RowOf<typeof KEYS_TO_TRY>, 'displayName' | 'suspendedBy' | 'earlier'>;

/** About as many as there are batches of security keys in use at the same time. */
const MAX_STATEMENTS = 1_000;

/** Reads the keys of a relying party slice by slice, with the proofs of their registrations. */
@Injectable()
export class StoredKeys {
  /**
   * Statements that many keys share are parsed once, with their certificates: of a hundred security keys, one
   * costs as much as checking a path, and each of the others a hundredth of that.
   */
  private readonly statements = new LRUCache<string, AttestationStatement>({
    max: MAX_STATEMENTS,
  });

  constructor(
    private readonly database: Database,
    private readonly attestations: Attestations,
    private readonly groups: GroupsInForce,
  ) {}

  /** The next keys of a model, or of all, in the order of their credential IDs' hashes. */
  async slice(
    rp: RelyingParty,
    { todo: [model = EVERY_KEY], position: after }: EvaluationPlace,
    limit: number,
  ): Promise<readonly KeyToEvaluate[]> {
    const slice = { relyingPartyId: rp.id, after, limit, withProofs: needsProofs(rp) };
    if (model.equals(EVERY_KEY)) {
      return this.read(rp, await this.database.query(KEYS_TO_EVALUATE, slice));
    }
    const ofModel = KEYS_OF_MODEL[this.database.kind];
    return this.read(rp, await this.database.query(ofModel, { ...slice, aaguid: model }));
  }

  /** @param ids row IDs of credentials, at most those of one user */
  async ofIds(rp: RelyingParty, ids: readonly Buffer[]): Promise<readonly KeyToEvaluate[]> {
    const slice = { relyingPartyId: rp.id, limit: ids.length, withProofs: needsProofs(rp) };
    return this.read(rp, await this.database.query(KEYS_OF_IDS, { ...slice, ids }));
  }

  /** @param userIds few enough that all of their keys fit in memory */
  async ofUsers(rp: RelyingParty, userIds: readonly Buffer[]): Promise<readonly KeyToEvaluate[]> {
    if (userIds.length === 0) return [];
    const limit = userIds.length * MAX_CREDENTIALS;
    const slice = { relyingPartyId: rp.id, limit, withProofs: needsProofs(rp) };
    return this.read(rp, await this.database.query(KEYS_OF_USERS, { ...slice, userIds }));
  }

  /** The keys that the undo of a deletion restores, with the groups that it restores to a deleted user. */
  async ofDeletion({ id, relyingParty: rp }: KeptDeletion): Promise<readonly KeyToEvaluate[]> {
    const its = { ...scope(rp), id };
    const keys = await this.read(rp, await this.database.query(KEYS_OF_DELETION, its));
    if (rp.policy.profiles.length === 0) return keys;
    const groups = await this.database.query(GROUPS_OF_DELETION, its);
    const restored = groups.map(({ name }) => name.toString('utf8'));
    return keys.map((key) => ({ ...key, groups: [...key.groups, ...restored] }));
  }

  /** The users of the next keys, in the order of the hashes of the keys' credential IDs. */
  ownersAfter(rp: RelyingParty, after: Buffer, limit: number) {
    return this.database.query(OWNERS_OF_KEYS, { relyingPartyId: rp.id, after, limit });
  }

  /** @param userIds few enough that all of their keys fit in memory */
  async toTry(rp: RelyingParty, userIds: readonly Buffer[]): Promise<readonly KeyToTry[]> {
    if (userIds.length === 0) return [];
    const limit = userIds.length * MAX_CREDENTIALS;
    const slice = { relyingPartyId: rp.id, limit, withProofs: needsProofs(rp) };
    return this.read(rp, await this.database.query(KEYS_TO_TRY, { ...slice, userIds }));
  }

  private async read<R extends EvaluatedKeyRow>(rp: RelyingParty, rows: readonly R[]) {
    const authorities = await this.attestations.authoritiesOf(rows.filter(hasStatement));
    const userIds = distinctBytes(rows.map(({ userId }) => userId));
    const groups = await this.groups.ofUsers(rp, userIds);
    return rows.map((row) => ({
      ...this.keyOf(row, authorities, needsProofs(rp)),
      groups: groups.get(mapKey(row.userId)) ?? [],
    }));
  }

  /** The statement in a key's proof; keys of one batch share it. */
  private statementOf(
    { evidence, certificates, authorities }: StoredStatement,
    shared: SharedCertificates,
  ): AttestationStatement {
    const name = hash('sha256', Buffer.concat([Buffer.from(evidence), certificates, authorities]));
    const known = this.statements.get(name);
    if (known) return known;
    const statement = statementOf(
      // A copy, since the driver's Buffer may be a slice that would keep a whole answer in memory.
      {
        evidence: JSON.parse(evidence) as IndexedAttestation,
        certificates: Buffer.from(certificates),
      },
      sharedBy({ authorities }, shared),
    );
    this.statements.set(name, statement);
    return statement;
  }

  private extensionsOf(
    { proof, ...row }: EvaluatedKeyRow & StoredStatement,
    shared: SharedCertificates,
  ) {
    if (!proof) return undefined;
    const { attestationObject } = proofOf({ ...row, proof }, row, sharedBy(row, shared));
    const { authData } = readAttestationObject(attestationObject);
    return parseAttestedAuthenticatorData(authData).extensions;
  }

  /**
   * Converts a row to a key, turning the numbers that SQLite and MySQL return for booleans into booleans.
   *
   * @param shared the CA certificates of the rows that are read together
   * @param withExtensions whether to decompress the proof for the authenticator's extension outputs
   */
  private keyOf<R extends EvaluatedKeyRow>(
    row: R,
    shared: SharedCertificates,
    withExtensions: boolean,
  ) {
    const { rule, code, action, username, attestationTrusted, userVerified, ...more } = row;
    const { backupEligible, enabled, attestationAsked, residentKey, ...others } = more;
    const lacksCertificate = hasStatement(row) && !hasShared(row, shared);
    const isProved = hasStatement(row) && !lacksCertificate;
    const flag = (value: number | null) => (value === null ? null : Boolean(value));
    return {
      ...others,
      username: username.toString('utf8'),
      attestationTrusted: Boolean(attestationTrusted),
      userVerified: Boolean(userVerified),
      backupEligible: Boolean(backupEligible),
      enabled: Boolean(enabled),
      // An import may have stored another word.
      attestationType: row.attestationType as AttestationType,
      attestationAsked: flag(attestationAsked),
      residentKey: flag(residentKey),
      lacksCertificate,
      statement: isProved ? this.statementOf(row, shared) : undefined,
      extensions: isProved && withExtensions ? this.extensionsOf(row, shared) : undefined,
      finding: rule && code && action ? { rule, code, action } : undefined,
    };
  }
}
