import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { AttestationAuthorities } from '../../credentials/attestations/attestation-authorities.js';
import { sharedHashes, statementOf } from '../../credentials/attestations/evidence.js';
import type { Evidence } from '../../credentials/attestations/evidence.js';
import { Clock } from '../../common/clock.js';
import { insertStep, updateStep } from '../../database/commit/step-of.js';
import type { Step } from '../../database/commit/unit.js';
import { Database } from '../../database/database.js';
import type { Query } from '../../database/database.js';
import { padded } from '../../database/padded.js';
import { scope, scopeParams } from '../../database/scope.js';
import type { Code } from '../../errors/catalogue.js';
import { ledgerStep } from '../../ledger/ledger.js';
import type { LedgerEvent } from '../../ledger/ledger.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { AttestationStatement } from '../../webauthn/attestation/format.js';
import {
  KEYS_TO_EVALUATE,
  deleteFindings,
  insertFindings,
  markKeys,
} from './finding.statements.js';
import { Judgement } from './judgement.entity.js';
import type { StoredKey } from './key-evaluation.js';
import type { Found, Settlement, Standing } from './settlement.js';

type Row = StoredKey & {
  readonly id: Buffer;
  readonly credentialHash: Buffer;
  readonly userId: Buffer;
  readonly username: Buffer;
  readonly enabled: boolean;
  readonly refusedWith: string | null;
  readonly evidence: string | null;
  readonly certificates: Buffer | null;
  readonly authorities: Buffer | null;
  readonly rule: string | null;
  readonly code: Code | null;
  readonly action: Found['action'] | null;
};

/** A key that is to be evaluated. */
export interface KeyToEvaluate extends StoredKey, Standing {
  readonly id: Buffer;
  readonly credentialHash: Buffer;
  readonly userId: Buffer;
  readonly username: string;
  readonly statement: AttestationStatement | undefined;
}

/** A key that does not stay as it is. */
export interface Change {
  readonly key: KeyToEvaluate;
  readonly found: Found | undefined;
  readonly settlement: Settlement;
}

const FIRST = Buffer.alloc(32);

/** Reads the keys of a relying party one page after the other, and stores what was found of them. */
@Injectable()
export class FindingStore {
  private readonly keys: Query<Row>;

  constructor(
    private readonly database: Database,
    @InjectRepository(Judgement) private readonly judgements: Repository<Judgement>,
    private readonly authorities: AttestationAuthorities,
    private readonly clock: Clock,
  ) {
    this.keys = database.query(KEYS_TO_EVALUATE, { patienceMs: 30_000 });
  }

  /** Where the evaluation goes on; a new basis begins it anew. `undefined` where all is done. */
  async begin(rp: RelyingParty, basis: Buffer): Promise<Buffer | undefined> {
    const found = await this.judgements.findOneBy(scope(rp));
    if (found?.basis.equals(basis)) return found.done ? undefined : found.position;
    const row = { ...scope(rp), basis, position: FIRST, done: false };
    const step = found
      ? updateStep(this.judgements, scope(rp), row)
      : insertStep(this.judgements, row);
    await this.database.commit([step]);
    return FIRST;
  }

  async page(rp: RelyingParty, behind: Buffer, limit: number): Promise<readonly KeyToEvaluate[]> {
    const rows = await this.keys.all(rp.id, behind, limit);
    await this.authorities.load(
      rows.flatMap(({ authorities }) => (authorities ? sharedHashes({ authorities }) : [])),
    );
    return rows.map((row) => this.keyOf(row));
  }

  /**
   * Stores what was found on a page, and that it is done.
   *
   * @param next where the next page begins; `undefined` behind the last one
   * @returns `false` where somebody has changed a key meanwhile; nothing is stored then
   */
  settle(
    rp: RelyingParty,
    { basis, next }: { readonly basis: Buffer; readonly next: Buffer | undefined },
    changes: readonly Change[],
  ): Promise<boolean> {
    const progress = next ? { position: next } : { done: true };
    const steps = changes.length === 0 ? [] : this.steps(rp, changes);
    const ours = { ...scope(rp), basis };
    return this.database.commit([...steps, updateStep(this.judgements, ours, progress, true)], {
      background: true,
    });
  }

  private steps(rp: RelyingParty, changes: readonly Change[]): Step[] {
    const at = this.clock.now();
    const gone = changes.filter(({ key }) => key.finding).map(({ key }) => key.id);
    const rows = changes.flatMap(({ key: { id }, found }) =>
      found ? [[...scopeParams(rp), id, found.rule, found.code, found.action, at]] : [],
    );
    const ids = padded(gone);
    return [
      ...alike(changes).map((group) => markStep(rp, group)),
      ...(gone.length > 0
        ? [{ sql: deleteFindings(ids), params: [...scopeParams(rp), ...ids] }]
        : []),
      ...(rows.length > 0 ? [{ sql: insertFindings(rows), params: rows.flat() }] : []),
      ledgerStep(...changes.flatMap((change) => eventsOf(rp, at, change))),
    ];
  }

  /** SQLite and MySQL have numbers for booleans. */
  private keyOf(row: Row): KeyToEvaluate {
    const { evidence, certificates, authorities, rule, code, action } = row;
    const flag = (value: boolean | null) => (value === null ? null : Boolean(value));
    const statement =
      evidence && certificates && authorities
        ? statementOf(
            { evidence: JSON.parse(evidence) as Evidence, certificates },
            this.authorities.find(sharedHashes({ authorities })),
          )
        : undefined;
    return {
      ...row,
      username: row.username.toString('utf8'),
      attestationTrusted: Boolean(row.attestationTrusted),
      userVerified: Boolean(row.userVerified),
      backupEligible: Boolean(row.backupEligible),
      enabled: Boolean(row.enabled),
      attestationAsked: flag(row.attestationAsked),
      residentKey: flag(row.residentKey),
      statement,
      finding: rule && code && action ? { rule, code, action } : undefined,
    };
  }
}

/** Keys that stand alike and are to stand alike, together. */
function alike(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const { enabled, refusedWith } = change.settlement;
    const name = [change.key.enabled, enabled, refusedWith].join();
    groups.set(name, [...(groups.get(name) ?? []), change]);
  }
  return [...groups.values()];
}

/** Of keys that stand alike and are to stand alike. */
function markStep(rp: RelyingParty, group: readonly Change[]): Step {
  const [first] = group;
  const { enabled = true, refusedWith = null } = first?.settlement ?? {};
  const ids = padded(group.map(({ key }) => key.id));
  const set = [enabled ? 1 : 0, refusedWith];
  const params = [...set, ...scopeParams(rp), ...ids, first?.key.enabled ? 1 : 0];
  return { sql: markKeys(ids), params, guard: group.length };
}

const eventsOf = (rp: RelyingParty, at: number, change: Change): LedgerEvent[] => {
  const { key, found, settlement } = change;
  const { rule: detail, code } = found ?? key.finding ?? {};
  return settlement.events.map((kind) => ({
    kind,
    at,
    relyingParty: rp,
    user: { id: key.userId, username: key.username },
    credentialHash: key.credentialHash,
    ...(detail !== undefined && { detail }),
    ...(code !== undefined && { code }),
  }));
};
