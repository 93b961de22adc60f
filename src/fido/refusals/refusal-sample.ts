import { BoundedMap } from '../../platform/common/bounded-map.js';

/** Number of like refusals of one caller in a minute that are all recorded, before only some are. */
export const FIRST_OF_CALLER = 30;
/** The same number over all callers. */
export const FIRST_OF_REASON = 300;
const MAX_REMEMBERED = 20_000;
const MINUTE_MS = 60_000;

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
 * Chooses which refusals of a flood are recorded: the first of each caller and reason, then the 32nd, the
 * 64th, the 128th. Reasons are counted apart, and there is no bound over all of them, so that refusals that
 * cost nothing never hide a forged signature.
 */
export class RefusalSample {
  private minute = 0;
  /** With more callers, those refused longest ago are forgotten, and their count starts again. */
  private readonly callers = new BoundedMap<Count>(MAX_REMEMBERED);
  /** One entry for each reason at each relying party: nobody from outside can add more. */
  private readonly reasons = new Map<string, number>();

  /**
   * Counts a refusal.
   *
   * @param at milliseconds since 1970
   * @returns how many refusals of this caller the record represents, this one included; 0 where it has no
   *   record
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

/** The first ones, and then each that doubles what was seen. */
const isRecorded = (n: number, first: number): boolean => n <= first || (n & (n - 1)) === 0;
