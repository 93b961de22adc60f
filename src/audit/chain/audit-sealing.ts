import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { OptionMistakes } from '../../platform/config/option-types.js';
import { newRequestId } from '../../platform/http/request-id.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import { AuditRow } from '../audit-row.entity.js';
import { AuditTrail } from '../audit-trail.js';
import type { AuditEntry } from '../audit-entry.js';
import {
  AuditHead,
  advanceHead,
  faultOfSeal,
  recordText,
  type AuditKey,
  type HeadRecord,
} from './audit-head.js';
import { KEY_CHANGE, keyChangeText, seal, type ChainHead } from './chain.js';

const ATTEMPTS = 100;
/** The target of a row that ends the sealing. */
const NO_KEY = 'none';

interface BegunSeal {
  readonly row: ChainHead;
  /** An earlier row `audit.key` whose key never approved the end of its seal; absent if there is none. */
  readonly removed?: ChainHead;
}

/** Determines the key that seals the trail. A row marks where another key begins. */
@Injectable()
export class AuditSealing {
  constructor(
    private readonly head: AuditHead,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
    @InjectRepository(AuditRow) private readonly rows: Repository<AuditRow>,
  ) {}

  /** Whether this process has a key and the trail has no seal: no row can be written before `begin`. */
  async isUnsealed(): Promise<boolean> {
    return this.head.key !== null && !(await this.head.record()).seal;
  }

  /** The fingerprint of the key that seals the trail; `null` if it is not the key of this process. */
  async sealedBy(): Promise<string | null> {
    const { key } = this.head;
    return key && faultOfSeal(await this.head.record(), key) === undefined ? key.fingerprint : null;
  }

  /**
   * Checks that this process may write rows.
   *
   * @throws OptionMistakes if its key is not the one that seals the trail
   */
  async require(): Promise<void> {
    refuseIf(faultOfSeal(await this.head.record(), this.head.key));
  }

  /**
   * Seals the trail with the key of this process from now on. Only an operator may decide this: a trail that
   * an attacker deleted or rewrote has no seal either.
   *
   * @returns `undefined` if this key already seals the trail
   * @throws OptionMistakes if there is no key, or if the trail is sealed with another one
   */
  async begin(): Promise<BegunSeal | undefined> {
    const { key } = this.head;
    if (!key)
      throw new OptionMistakes(['--audit-key-file: names the key that is to seal the trail']);
    if (!(await this.isUnsealed())) {
      await this.require();
      return undefined;
    }
    const before = await this.rows.findOne({
      where: { action: KEY_CHANGE },
      order: { seq: 'DESC' },
    });
    const row = await this.change(key, ({ seal }) => !seal);
    if (!row) return undefined;
    const isRemoved = before !== null && before.target?.toString('utf8') !== NO_KEY;
    return { row, ...(isRemoved ? { removed: before } : {}) };
  }

  /**
   * Seals with another key from now on, or with none.
   *
   * @returns the row from which it seals; `undefined` if it already does
   * @throws OptionMistakes if the trail has no seal, or if this process does not have its key
   */
  async rekey(next: AuditKey | null): Promise<ChainHead | undefined> {
    await this.require();
    if (!this.head.key && next) refuseIf(phrase('audit:faults.notSealedYet'));
    return this.change(next, ({ seal }) => seal?.fingerprint !== next?.fingerprint);
  }

  /** @param isNeeded called with the current record, and again if another instance has moved it */
  private async change(
    next: AuditKey | null,
    isNeeded: (record: HeadRecord) => boolean,
  ): Promise<ChainHead | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const record = await this.head.record();
      if (!isNeeded(record)) return undefined;
      const row = seal(this.entry(record, next), record.head, this.clock.now());
      if (await this.trail.insert(row, advanceHead(record.text, recordText(row, next)))) return row;
    }
    throw new Error('The audit trail took no row: its head and its rows do not fit.');
  }

  private entry({ head, seal }: HeadRecord, next: AuditKey | null): AuditEntry {
    const { key } = this.head;
    const target = next?.fingerprint ?? NO_KEY;
    const approved = keyChangeText(head, target);
    return {
      account: 'cli',
      role: 'admin',
      address: '',
      requestId: newRequestId(),
      action: KEY_CHANGE,
      target,
      result: 'ok',
      // The previous key's approval of its successor, so that the key cannot be replaced unnoticed without it.
      detail: seal && key ? { before: key.fingerprint, seal: key.seal(approved) } : {},
    };
  }
}

function refuseIf(fault: Phrase | undefined): void {
  if (fault) throw new OptionMistakes([`--audit-key-file: ${plainText('en', fault)}`]);
}
