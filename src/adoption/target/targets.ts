import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { SharedRecords } from '../../platform/database/shared-records.js';
import { ensureExpected } from '../../platform/http/versions.js';
import type { ExpectedTags } from '../../platform/http/versions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';

/** The share of a relying party's users who should have a key by a day. */
export interface Target {
  /** In percent. */
  readonly share: number;
  /** `YYYY-MM-DD` */
  readonly by: string;
}

/** A target as it is stored; `null` where it was removed. */
interface StoredTarget {
  readonly target: Target | null;
  readonly version: number;
}

/** What a relying party has of which nobody has set a target yet. */
const NEVER_SET: StoredTarget = { target: null, version: 0 };

/** What a change made of a target. */
interface TargetChange {
  readonly before: Target | null;
  readonly after: Target | null;
}

const recordOf = ({ id }: RelyingParty): string => `adoption-target ${id.toString('hex')}`;
const read = (text: string | undefined): StoredTarget =>
  text === undefined ? NEVER_SET : (JSON.parse(text) as StoredTarget);

/** Reads and changes the targets of relying parties. */
@Injectable()
export class Targets {
  constructor(
    private readonly records: SharedRecords,
    private readonly clock: Clock,
  ) {}

  async find(rp: RelyingParty): Promise<StoredTarget> {
    return read(await this.records.find(recordOf(rp)));
  }

  /**
   * @param after `null` removes it
   * @throws ApiError E0053R where it has none of the expected tags
   */
  async change(
    rp: RelyingParty,
    after: Target | null,
    expected: ExpectedTags,
  ): Promise<TargetChange> {
    const name = recordOf(rp);
    for (;;) {
      const text = await this.records.find(name);
      const { target: before, version } = read(text);
      ensureExpected(expected, version);
      const changed: StoredTarget = {
        target: after,
        version: Math.max(this.clock.now(), version + 1),
      };
      if (await this.store(name, text, JSON.stringify(changed))) return { before, after };
    }
  }

  /** Resolves to `false` where somebody else has stored another one meanwhile. */
  private async store(name: string, from: string | undefined, to: string): Promise<boolean> {
    if (from !== undefined) return this.records.replace(name, from, to);
    return (await this.records.findOrCreate(name, () => to)) === to;
  }
}
