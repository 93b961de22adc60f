import { NO_USERS_OR_KEYS } from '../../users/credentials/inventory.js';
import { monthOf } from './calendar.js';
import type { UsageDayEntity } from './usage.entity.js';

/** The figures of a relying party's day: its activity, and the counts at its end. */
export type UsageDay = Readonly<Omit<UsageDayEntity, 'relyingPartyId' | 'month' | 'tenantId'>>;

/** The figures of some events; `users`, `enabled` and `disabled` are the changes of these counts. */
export type EventFigures = Omit<UsageDay, 'day' | 'activeUsers'>;

/** The number of events of a kind; for imports and deletions, of a kind and the credential's state. */
interface KindCount {
  readonly kind: string;
  readonly detail: string | null;
  readonly n: number;
}

const NO_EVENTS: EventFigures = {
  ...NO_USERS_OR_KEYS,
  registrations: 0,
  authentications: 0,
  events: 0,
};

/** The contribution of one event of a kind. Other kinds (refusals, alarms) change no figure. */
const EFFECTS = new Map<string, Partial<EventFigures>>([
  ['user-created', { users: 1 }],
  ['user-deleted', { users: -1 }],
  ['registration', { registrations: 1, enabled: 1 }],
  ['authentication', { authentications: 1 }],
  ['enabled', { enabled: 1, disabled: -1 }],
  ['disabled', { enabled: -1, disabled: 1 }],
  // An imported credential is counted as present, but not as a registration.
  ['imported enabled', { enabled: 1 }],
  ['imported disabled', { disabled: 1 }],
  ['deleted enabled', { enabled: -1 }],
  ['deleted disabled', { disabled: -1 }],
]);

const FIELDS = Object.keys(NO_EVENTS) as (keyof EventFigures)[];

/** Adds tallies, field by field. */
export function sumOf(...parts: readonly Partial<EventFigures>[]): EventFigures {
  const sum = { ...NO_EVENTS };
  for (const part of parts) for (const field of FIELDS) sum[field] += part[field] ?? 0;
  return sum;
}

function times(effect: Partial<EventFigures>, n: number): Partial<EventFigures> {
  return Object.fromEntries(Object.entries(effect).map(([field, each]) => [field, each * n]));
}

export function tallyOf(counts: readonly KindCount[]): EventFigures {
  return sumOf(
    ...counts.map(({ kind, detail, n }) => ({
      ...times(EFFECTS.get(detail === null ? kind : `${kind} ${detail}`) ?? {}, n),
      events: n,
    })),
  );
}

/**
 * Returns a relying party's row of a day after further events of that day.
 *
 * @param previous its last row: of this day, of an earlier one, or none
 * @param newlyActive the number of users among the events who had not been active in this month before
 */
export function addToDay(
  previous: UsageDay | null,
  { day, tally, newlyActive }: { day: number; tally: EventFigures; newlyActive: number },
): UsageDay {
  const { users = 0, enabled = 0, disabled = 0 } = previous ?? {};
  const today = previous?.day === day ? previous : { users, enabled, disabled };
  const sameMonth = previous && monthOf(previous.day) === monthOf(day);
  const before = sameMonth ? previous.activeUsers : 0;
  return { ...sumOf(today, tally), day, activeUsers: before + newlyActive };
}

/** A relying party's figures for a month up to a day. */
export type Usage = Omit<UsageDay, 'day' | 'events'>;

/** The last row of a relying party up to a day, with sums over the month; zeros if it has no rows. */
interface MonthCounts extends Omit<UsageDay, 'events'> {
  /** When the relying party was closed, in milliseconds since 1970; 0 while it is open. */
  readonly closedAt: number;
}

/** Events that are not counted yet: those before the period, and those in it. */
interface Uncounted {
  readonly before: EventFigures | undefined;
  readonly within: EventFigures | undefined;
  readonly newlyActive: number;
}

/**
 * Returns the figures of a period.
 *
 * @param period its last day, and its end in milliseconds since 1970
 */
export function usageOf(
  counted: MonthCounts,
  { before = NO_EVENTS, within = NO_EVENTS, newlyActive }: Uncounted,
  period: { readonly day: number; readonly end: number },
): Usage {
  const { users, enabled, disabled } = sumOf(counted, before, within);
  const { registrations, authentications } = sumOf(counted, within);
  const { closedAt, day, activeUsers } = counted;
  const isSameMonth = monthOf(day) === monthOf(period.day);
  const isClosed = closedAt !== 0 && closedAt < period.end;
  return {
    ...(isClosed ? NO_USERS_OR_KEYS : { users, enabled, disabled }),
    registrations,
    authentications,
    activeUsers: (isSameMonth ? activeUsers : 0) + newlyActive,
  };
}

/** Events of one day from a point in time up to, but not including, another. */
export interface CountedSlice {
  readonly from: number;
  readonly to: number;
  readonly day: number;
}
