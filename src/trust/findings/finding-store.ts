import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { insertStep, updateStep } from '../../database/commit/step-of.js';
import type { Step } from '../../database/commit/unit.js';
import { Database } from '../../database/database.js';
import { padded } from '../../database/padded.js';
import { scope, scopeParams } from '../../database/scope.js';
import { ledgerStep } from '../../ledger/ledger.js';
import type { LedgerEvent } from '../../ledger/ledger.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { deleteFindings, insertFindings, markKeys } from './finding.statements.js';
import {
  EVERY_KEY,
  FIRST,
  changedModels,
  readTodo,
  whileUnderWay,
  writeBasis,
  writeTodo,
} from './basis.js';
import type { Basis, Place } from './basis.js';
import { Judgement } from './judgement.entity.js';
import type { Found, Settlement } from './settlement.js';
import { StoredKeys } from './stored-keys.js';
import type { KeyToEvaluate } from './stored-keys.js';

/** A key that is to change, and how. */
export interface Change {
  readonly key: KeyToEvaluate;
  readonly found: Found | undefined;
  readonly settlement: Settlement;
}

/** Stores findings about the keys of a relying party, and how far their evaluation has come. */
@Injectable()
export class FindingStore {
  constructor(
    private readonly database: Database,
    @InjectRepository(Judgement) private readonly judgements: Repository<Judgement>,
    private readonly stored: StoredKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Where the evaluation goes on. A new basis starts it anew, with the keys that the change concerns.
   *
   * @returns `undefined` where nothing is left to do, `taken` where another instance was faster
   */
  async begin(rp: RelyingParty, basis: Basis): Promise<Place | 'taken' | undefined> {
    const found = await this.judgements.findOneBy(scope(rp));
    if (found?.basis.equals(basis.digest)) {
      const todo = found.todo === null ? [EVERY_KEY] : readTodo(found.todo);
      return found.done ? undefined : { todo, position: found.position };
    }
    const held = found?.held ?? null;
    const todo = changedModels(held, basis);
    const isDone = todo.length === 0;
    const row = {
      ...scope(rp),
      basis: basis.digest,
      position: FIRST,
      done: isDone,
      held: isDone ? writeBasis(basis) : whileUnderWay(held, todo, basis),
      todo: writeTodo(todo),
    };
    const step = found
      ? updateStep(this.judgements, { ...scope(rp), basis: found.basis }, row, true)
      : insertStep(this.judgements, row);
    if (!(await this.database.commit([step]))) return 'taken';
    return isDone ? undefined : { todo, position: FIRST };
  }

  page(rp: RelyingParty, place: Place, limit: number): Promise<readonly KeyToEvaluate[]> {
    return this.stored.page(rp, place, limit);
  }

  /**
   * Stores the findings of a page of keys and the progress behind it, in one unit.
   *
   * @param next where the next page begins; `undefined` after the last one
   * @returns `false` where somebody has changed a key meanwhile or started anew; nothing is stored then
   */
  settle(
    rp: RelyingParty,
    { basis, next }: { readonly basis: Basis; readonly next: Place | undefined },
    changes: readonly Change[],
  ): Promise<boolean> {
    const progress = next
      ? { position: next.position, todo: writeTodo(next.todo) }
      : { done: true, held: writeBasis(basis) };
    const steps = changes.length === 0 ? [] : this.steps(rp, changes);
    const ours = { ...scope(rp), basis: basis.digest };
    return this.database.commit([...steps, updateStep(this.judgements, ours, progress, true)], {
      background: true,
    });
  }

  /**
   * Stores findings about some keys without touching the progress of the evaluation.
   *
   * @returns `false` where somebody has changed one of the keys meanwhile; nothing is stored then
   */
  record(rp: RelyingParty, changes: readonly Change[]): Promise<boolean> {
    return this.database.commit(this.steps(rp, changes));
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
}

/** Groups changes of keys that have the same state now and are to get the same state. */
function alike(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const { enabled, refusedWith } = change.settlement;
    const name = [change.key.enabled, enabled, refusedWith].join();
    groups.set(name, [...(groups.get(name) ?? []), change]);
  }
  return [...groups.values()];
}

/** The step that changes the keys of such a group. */
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
