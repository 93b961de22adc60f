import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { OptionMistakes } from '../../platform/config/load-options.js';
import { AuditHead, moveRecord } from './audit-head.js';
import type { AuditKey } from './audit-key.js';
import { AuditLog } from '../audit-log.js';
import type { AuditDetail, AuditEntry } from '../audit-row.js';
import { KEY_CHANGE, keyChangeText, seal } from './chain.js';
import { faultOfSeal, recordText } from './head-record.js';
import type { HeadRecord } from './head-record.js';

const ATTEMPTS = 100;

/** Decides which key seals the trail. A row says where another key begins. */
@Injectable()
export class AuditSealing {
  constructor(
    private readonly head: AuditHead,
    private readonly log: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes sure that this process may write to the trail. An unsealed trail is sealed with the process's key
   * from here on; that happens only while a process starts.
   *
   * @throws OptionMistakes when its key is missing or another one than the trail's
   */
  async join(): Promise<void> {
    const { key } = this.head;
    await this.change(key, (record) => {
      if (key && !record.seal) return true;
      const fault = faultOfSeal(record, key);
      if (fault !== undefined) throw new OptionMistakes([`--audit-key-file: ${fault}`]);
      return false;
    });
  }

  /**
   * Seals with another key from now on, or with none.
   *
   * @throws OptionMistakes when this process does not have the key that seals the trail now
   */
  async rekey(next: AuditKey | null): Promise<void> {
    await this.join();
    await this.change(next, ({ seal }) => seal?.fingerprint !== next?.fingerprint);
  }

  /** @param isNeeded called with the current record, and again when another instance has moved it */
  private async change(
    next: AuditKey | null,
    isNeeded: (record: HeadRecord) => boolean,
  ): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const record = await this.head.record();
      if (!isNeeded(record)) return;
      const row = seal(this.entry(record, next), record.head, this.clock.now());
      if (await this.log.insert([row], moveRecord(record.text, recordText(row, next)))) return;
    }
    throw new Error('The audit trail took no row: its head and its rows do not fit.');
  }

  private entry({ head, seal }: HeadRecord, next: AuditKey | null): AuditEntry {
    const target = next?.fingerprint ?? 'none';
    return {
      account: 'cli',
      role: 'admin',
      address: '',
      requestId: randomUUID(),
      action: KEY_CHANGE,
      target,
      result: 'ok',
      detail: seal && this.head.key ? approval(this.head.key, keyChangeText(head, target)) : {},
    };
  }
}

/** Proof that the previous key agrees to its successor: nobody without that key can replace it unnoticed. */
const approval = (before: AuditKey, text: string): AuditDetail => ({
  before: before.fingerprint,
  seal: before.seal(text),
});
