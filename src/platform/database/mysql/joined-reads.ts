import type { RowDataPacket } from 'mysql2';
import type { Value } from '../commit/unit.js';
import { mergeIdenticalReads } from './merge-identical-reads.js';
import type { Read } from './merge-identical-reads.js';

/** Sends one statement, or several at once: then there is an array of rows for each. */
type Send = (sql: string, params: readonly Value[]) => Promise<RowDataPacket[] | RowDataPacket[][]>;

interface PendingRead extends Read {
  reject(error: unknown): void;
}

/** Most reads that share one round trip. */
const MOST = 32;

/**
 * Small reads that are asked in one turn of the event loop make one round trip together: most of the cost of
 * a read by key is the way to the server and back.
 */
export class JoinedReads {
  private asked: PendingRead[] = [];

  constructor(private readonly send: Send) {}

  all(sql: string, params: readonly Value[]): Promise<RowDataPacket[]> {
    return new Promise((take, reject) => {
      const first = this.asked.length === 0;
      this.asked.push({ sql, params, take, reject });
      if (first) setImmediate(() => this.sendAll());
    });
  }

  private sendAll(): void {
    while (this.asked.length > 0) void this.sendTogether(this.asked.splice(0, MOST));
  }

  private async sendTogether(asked: readonly PendingRead[]): Promise<void> {
    try {
      const reads = mergeIdenticalReads(asked);
      const sql = reads.map((read) => read.sql).join(';');
      const params = reads.flatMap((read) => read.params);
      const rows = await this.send(sql, params);
      const each = (reads.length === 1 ? [rows] : rows) as RowDataPacket[][];
      reads.forEach(({ take }, n) => take(each[n] ?? []));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
