import fc from 'fast-check';
import type { LedgerEvent } from '../../../src/events/ledger.js';
import { DAY_MS } from '../../../src/platform/common/durations.js';

/** The possible acts of a random history; `who` selects a user and `key` a credential, if they exist. */
export interface Act {
  readonly what:
    | 'register'
    | 'sign-in'
    | 'disable'
    | 'enable'
    | 'delete'
    | 'delete-user'
    | 'refuse'
    | 'close-relying-party'
    | 'close-tenant'
    | 'begin-move'
    | 'end-move'
    | 'sign-in-there'
    | 'count'
    | 'count-twice'
    | 'count-together'
    | 'discard'
    | 'compare';
  /** The time since the previous act, in milliseconds. */
  readonly after: number;
  readonly relyingParty: number;
  readonly who: number;
  readonly key: number;
  /** The duration of the commit; less than the grace period. */
  readonly late: number;
}

export interface History {
  /** Milliseconds since 1970. */
  readonly begin: number;
  readonly acts: readonly Act[];
}

/** Relying parties of a history, by the number of their tenant. */
export const TENANT_OF = [0, 0, 1, 0] as const;
/** The relying party whose users move, and the ones to which they may. */
const OLD = 0;
const SUCCESSORS = [1, 3] as const;

const around = (year: number, month: number, date: number) => Date.UTC(year, month - 1, date, 22);

/** Ends of months and years, the leap day, and daylight saving's ends. */
const BEGINS = [
  around(2027, 12, 30),
  around(2028, 2, 27),
  around(2027, 2, 27),
  around(2028, 4, 29),
  around(2028, 3, 25),
  around(2028, 10, 28),
];

const weighted = (...parts: readonly (readonly [Act['what'], number])[]) =>
  fc.oneof(...parts.map(([what, weight]) => ({ arbitrary: fc.constant(what), weight })));

const actOf = (
  what: fc.Arbitrary<Act['what']>,
  relyingParty: fc.Arbitrary<number>,
): fc.Arbitrary<Act> =>
  fc.record({
    what,
    after: fc.oneof(
      fc.constantFrom(0, 1),
      fc.integer({ min: 0, max: 3_600_000 }),
      fc.integer({ min: 0, max: 2 * DAY_MS }),
      fc.constantFrom(DAY_MS, 20 * DAY_MS),
    ),
    relyingParty,
    who: fc.nat(3),
    key: fc.nat(2),
    late: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 14 * 60_000 })),
  });

const act = actOf(
  weighted(
    ['register', 8],
    ['sign-in', 12],
    ['disable', 3],
    ['enable', 2],
    ['delete', 3],
    ['delete-user', 2],
    ['refuse', 2],
    ['close-relying-party', 1],
    ['close-tenant', 1],
    ['count', 3],
    ['count-twice', 1],
    ['count-together', 2],
    ['discard', 1],
    ['compare', 1],
  ),
  fc.nat(3),
);

const actOfMove = actOf(
  weighted(
    ['register', 6],
    ['sign-in', 10],
    ['sign-in-there', 14],
    ['begin-move', 6],
    ['end-move', 3],
    ['delete-user', 1],
    ['close-relying-party', 1],
    ['count', 4],
    ['count-together', 1],
    ['discard', 1],
    ['compare', 1],
  ),
  fc.constantFrom(0, 0, 0, 0, 0, 1, 3),
);

export const histories: fc.Arbitrary<History> = fc.record({
  begin: fc.constantFrom(...BEGINS),
  acts: fc.oneof(
    fc.array(act, { minLength: 5, maxLength: 60 }),
    fc.array(actOfMove, { minLength: 20, maxLength: 60 }),
  ),
});

/** An event of the model, with the additional data for the simple recount. */
export interface ModelEvent {
  readonly at: number;
  readonly relyingParty: number;
  readonly user: string;
  readonly credential: string;
  readonly kind: LedgerEvent['kind'];
}

/** The true state of users and credentials, and the events of every change. */
export class Model {
  readonly events: ModelEvent[] = [];
  readonly closedAt: [number, number, number, number] = [0, 0, 0, 0];
  readonly tenantClosedAt: [number, number] = [0, 0];
  /** The users at successors, by number and the user of the old domain: such users are created by their first sign-in. */
  readonly links = new Map<string, { readonly successor: number; readonly user: string }>();
  /** Where users of the old domain move at present. */
  successor: (typeof SUCCESSORS)[number] | undefined;
  /** Credentials by user, and whether each is enabled. */
  private users = new Map<string, Map<string, boolean>>();
  private made = 0;

  /** Applies an act if it is possible; otherwise nothing changes. */
  apply({ what, relyingParty, who, key }: Act, at: number): ModelEvent[] {
    if (this.closedAt[relyingParty as 0] !== 0) return [];
    const before = this.events.length;
    const say = (kind: LedgerEvent['kind'], user: string, credential = '') =>
      this.events.push({ at, relyingParty, user, credential, kind });
    const name = [...this.users.keys()].filter((user) => user.startsWith(`${relyingParty}/`))[who];
    const keys = name === undefined ? undefined : this.users.get(name);
    const [credential, enabled] = [...(keys ?? [])][key] ?? [];

    if (what === 'begin-move') this.beginMove(SUCCESSORS[(key % 2) as 0]);
    else if (what === 'end-move') this.successor = undefined;
    else if (what === 'sign-in-there') this.signInThere(who, key, at);
    else if (what === 'register') this.register(name ?? `${relyingParty}/${this.next()}`, say);
    else if (what === 'close-relying-party') this.closeRelyingParty(relyingParty, at);
    else if (what === 'close-tenant') this.closeTenant(TENANT_OF[relyingParty as 0], at);
    else if (what === 'refuse') say('authentication-refused', name ?? 'nobody');
    else if (name !== undefined && keys) {
      if (what === 'delete-user') {
        for (const id of keys.keys()) say('deleted', name, id);
        say('user-deleted', name);
        this.users.delete(name);
      } else if (credential !== undefined) {
        if (what === 'sign-in' && enabled) say('authentication', name, credential);
        if (what === 'disable' && enabled) {
          keys.set(credential, false);
          say('disabled', name, credential);
        }
        if (what === 'enable' && !enabled) {
          keys.set(credential, true);
          say('enabled', name, credential);
        }
        if (what === 'delete') {
          keys.delete(credential);
          say('deleted', name, credential);
        }
      }
    }
    return this.events.slice(before);
  }

  private register(
    user: string,
    say: (kind: 'registration' | 'user-created', ...of: [string, string?]) => void,
  ) {
    if (!this.users.has(user)) {
      this.users.set(user, new Map());
      say('user-created', user);
    }
    const credential = `key ${this.next()}`;
    this.users.get(user)?.set(credential, true);
    say('registration', user, credential);
  }

  /** Ends a move to the other successor. */
  private beginMove(successor: (typeof SUCCESSORS)[number]): void {
    if (this.closedAt[OLD] === 0 && this.closedAt[successor] === 0) this.successor = successor;
  }

  /** With an old key, or with one of the successor, which this model does not count. */
  private signInThere(nth: number, key: number, at: number): void {
    const { successor: relyingParty } = this;
    const old = [...this.users].filter(
      ([name, keys]) => name.startsWith(`${OLD}/`) && [...keys.values()].includes(true),
    );
    const [user] = old[nth % old.length] ?? [];
    if (relyingParty === undefined || user === undefined) return;
    const there = `${relyingParty}<${user}`;
    this.links.set(there, { successor: relyingParty, user });
    const who = key % 2 === 0 ? user : there;
    this.events.push({ at, relyingParty, user: who, credential: '', kind: 'authentication' });
  }

  private closeRelyingParty(relyingParty: number, at: number): void {
    this.closedAt[relyingParty as 0] = at;
    if (relyingParty === OLD || relyingParty === this.successor) this.successor = undefined;
  }

  private closeTenant(tenant: 0 | 1, at: number): void {
    this.tenantClosedAt[tenant] = at;
    TENANT_OF.forEach((owner, n) => {
      if (owner === tenant && this.closedAt[n as 0] === 0) this.closeRelyingParty(n, at);
    });
  }

  private next(): number {
    return (this.made += 1);
  }
}

/** The user of the old domain who moved, for a user of a successor. */
const personOf = (user: string): string => user.replace(/^.*</, '');

/** The figures of a period by playing all events again from the first one. */
export function recount(events: readonly ModelEvent[], begin: number, end: number) {
  const users = new Set<string>();
  const credentials = new Map<string, boolean>();
  const active = new Set<string>();
  let registrations = 0;
  let authentications = 0;
  for (const { at, kind, user, credential } of events) {
    if (at >= end) continue;
    if (kind === 'user-created') users.add(user);
    if (kind === 'user-deleted') users.delete(user);
    if (kind === 'registration' || kind === 'enabled') credentials.set(credential, true);
    if (kind === 'disabled') credentials.set(credential, false);
    if (kind === 'deleted') credentials.delete(credential);
    if (at < begin) continue;
    if (kind === 'registration') registrations += 1;
    if (kind === 'authentication') authentications += 1;
    if (kind === 'registration' || kind === 'authentication') active.add(personOf(user));
  }
  const states = [...credentials.values()];
  return {
    users: users.size,
    enabled: states.filter(Boolean).length,
    disabled: states.filter((enabled) => !enabled).length,
    registrations,
    authentications,
    activeUsers: active.size,
  };
}
