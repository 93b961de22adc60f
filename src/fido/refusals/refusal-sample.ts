import { BoundedMap } from '../../platform/common/caching.js';
import { MINUTE_MS } from '../../platform/common/durations.js';

/** Number of identical refusals of one caller per minute that are all recorded; after that only a sample is. */
export const FIRST_OF_CALLER = 30;
/** The same number over all callers. */
export const FIRST_OF_REASON = 300;
const MAX_REMEMBERED = 20_000;

interface RefusalKind {
  /** The relying party's id, as text. */
  readonly relyingParty: string;
  /** Code and failure. */
  readonly reason: string;
  /** The address, or the IPv6 /48. */
  readonly caller: string;
}

/** Counts a caller's refusals for one reason in this minute. */
interface Count {
  seen: number;
  /** Refusals since the last one that was recorded. */
  leftOut: number;
}

/**
 * Chooses which refusals of a flood are recorded: the first n of each caller and reason, then the 32nd, the 64th,
 * the 128th. Reasons are counted separately, and there is no limit over all of them, so that cheap refusals never
 * hide a forged signature.
 */
export class RefusalSample {
  private minute = 0;
  /** With more callers, the ones refused longest ago are forgotten, and their count starts again. */
  private readonly callers = new BoundedMap<Count>(MAX_REMEMBERED);
  /** One entry for each reason at each relying party; callers cannot add more. */
  private readonly reasons = new Map<string, number>();

  /**
   * Counts a refusal.
   *
   * @param at milliseconds since 1970
   * @returns how many refusals of this caller the record represents, including this one; 0 if it is not recorded
   */
  take({ relyingParty, reason, caller }: RefusalKind, at: number): number {
    this.begin(Math.floor(at / MINUTE_MS));
    const ofReason = `${relyingParty} ${reason}`;
    const count = this.countOf(`${ofReason} ${caller}`);
    count.seen += 1;
    count.leftOut += 1;
    if (!isRecorded(count.seen, FIRST_OF_CALLER)) return 0;
    const n = (this.reasons.get(ofReason) ?? 0) + 1;
    this.reasons.set(ofReason, n);
    if (!isRecorded(n, FIRST_OF_REASON)) return 0;
    const { leftOut } = count;
    count.leftOut = 0;
    return leftOut;
  }

  private begin(minute: number): void {
    if (minute === this.minute) return;
    this.minute = minute;
    this.callers.clear();
    this.reasons.clear();
  }

  private countOf(key: string): Count {
    const known = this.callers.get(key);
    if (known) return known;
    const count = { seen: 0, leftOut: 0 };
    this.callers.set(key, count);
    return count;
  }
}

/** The first ones, then every power of two. */
const isRecorded = (n: number, first: number): boolean => n <= first || (n & (n - 1)) === 0;
