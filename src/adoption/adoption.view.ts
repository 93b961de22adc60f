import { phrase, shareText, type Phrase, type Text } from '../platform/pages/languages/phrase.js';
import { mapKey } from '../platform/database/row-ids.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import type { ShownMove } from '../users/moves/move-counts.js';
import {
  promptErrorOf,
  type BrowserFamily,
} from '../events/ceremony-counts/ceremony-count.entity.js';
import { NO_AAGUID } from '../webauthn/aaguid.js';
import { curveView } from './curve/curve.view.js';
import type { AdoptionView, FunnelView } from './adoption.answer.js';
import { expectedUsersOf, type TargetSetting } from './target/targets.js';
import type { ExpectedUsersView, UsersView } from './users.answer.js';

const BROWSERS: Readonly<Record<BrowserFamily, Text>> = {
  chrome: 'Chrome',
  edge: 'Edge',
  firefox: 'Firefox',
  opera: 'Opera',
  safari: 'Safari',
  samsung: 'Samsung Internet',
  other: phrase('adoption:other'),
  backend: phrase('adoption:backend'),
};
const MODEL_NOT_REPORTED = phrase('adoption:models.notTold');
const UNKNOWN = phrase('adoption:models.unknown');
const MAX_MODELS = 15;

interface RelyingPartyChoice {
  readonly domain: string;
  readonly selected: boolean;
}

const reasonOf = (error: string): Phrase => phrase(`adoption:errors.${promptErrorOf(error)}`);

/** A chart whose rows have bars of the length `n`. */
const barsOf = <Row extends { readonly n: number }>(rows: readonly Row[]) => ({
  most: Math.max(1, ...rows.map(({ n }) => n)),
  rows,
});

const begunOf = ({ begun, finished, refused }: FunnelView) => ({
  begun,
  refused,
  finished,
  share: shareText(finished, begun),
});

/** The common part of both pages: the one of all relying parties, and the one of each. */
const commonOf = (choices: readonly RelyingPartyChoice[]) =>
  ({
    title: phrase('adoption:title'),
    texts: 'adoption',
    nav: { adoption: true },
    styles: ['/static/css/users.css', '/static/css/tenants.css', '/static/css/dashboard.css'],
    choices,
  }) as const;

/** The page for a relying party, or an empty one if there is none. */
export function adoptionPage(
  adoption: AdoptionView | undefined,
  choices: readonly RelyingPartyChoice[],
  move: ShownMove | undefined,
) {
  const page = commonOf(choices);
  if (!adoption) return page;
  const { relyingParty: domain, keys, funnel, unverified } = adoption;
  const begun = funnel.registrations.begun + funnel.authentications.begun + funnel.autofill.begun;
  return {
    ...page,
    domain,
    curve: curveView(adoption),
    /** Whether there are keys, or ceremonies were begun. */
    hasFigures: keys.total > 0 || begun > 0,
    figures: figuresOf(adoption),
    profiles: adoption.profiles?.map(({ name, group, total, withKey, active, complete }) => ({
      name,
      group,
      total,
      withKey: shareText(withKey, total),
      active: shareText(active, total),
      complete,
    })),
    weeks: weeksOf(adoption),
    endings: endingsOf(adoption),
    browsers: adoption.browsers.map(({ browser, registrations, authentications, failures }) => ({
      name: BROWSERS[browser],
      registrations: begunOf(registrations),
      signIns: begunOf(authentications),
      failures: failures.map((failure) => ({
        reason: reasonOf(failure.error),
        n: failure.registrations + failure.authentications,
      })),
    })),
    models: modelsOf(adoption),
    more: Math.max(0, adoption.models.length - MAX_MODELS),
    complete: keys.complete,
    unverified:
      unverified.users === 0
        ? undefined
        : phrase(`adoption:unverified.${unverified.complete ? 'text' : 'sampled'}`, {
            count: unverified.users,
          }),
    move,
  };
}

function figuresOf({ keys, funnel, users }: AdoptionView) {
  const came = ({ begun, finished, givenUp }: FunnelView) =>
    phrase('adoption:figures.came', { begun, finished, givenUp });
  const ofExpected = (n: number) =>
    users.expected === users.total
      ? phrase('adoption:figures.users', { n, all: users.total })
      : phrase('adoption:figures.expected', { n, all: users.expected });
  const { first, further, synced, bound } = keys;
  const { registrations, authentications } = funnel;
  return [
    {
      icon: 'user',
      label: phrase('adoption:figures.withKey'),
      value: shareText(users.withKey, users.expected),
      note: ofExpected(users.withKey),
    },
    {
      icon: 'check',
      label: phrase('adoption:figures.active'),
      value: shareText(users.active, users.expected),
      note: ofExpected(users.active),
    },
    {
      icon: 'key',
      label: phrase('adoption:figures.registrations'),
      value: shareText(registrations.finished, registrations.begun),
      note: came(registrations),
    },
    {
      icon: 'enter',
      label: phrase('adoption:figures.signIns'),
      value: shareText(authentications.finished, authentications.begun),
      note: came(authentications),
    },
    {
      icon: 'user',
      label: phrase('adoption:figures.further'),
      value: shareText(further, keys.total),
      note: phrase('adoption:figures.kinds', { first, further }),
    },
    {
      icon: 'globe',
      label: phrase('adoption:figures.synced'),
      value: shareText(synced, keys.total),
      note: phrase('adoption:figures.places', { synced, bound }),
    },
  ];
}

function weeksOf({ weeks }: AdoptionView) {
  return {
    most: Math.max(1, ...weeks.map(({ registrations }) => registrations)),
    rows: sinceTheFirst(weeks).map(({ begun, signIns, ...week }) => ({
      ...week,
      n: week.registrations,
      begun: begun.begun,
      givenUp: begun.givenUp,
      signIns: phrase('adoption:weeks.of', { finished: signIns.finished, begun: signIns.begun }),
    })),
  };
}

/** The weeks from the first one with any activity, newest first. */
function sinceTheFirst(weeks: AdoptionView['weeks']): AdoptionView['weeks'] {
  const first = weeks.findIndex(
    ({ registrations, kept, begun, signIns }) =>
      registrations + kept + begun.begun + signIns.begun > 0,
  );
  return weeks.slice(first < 0 ? -1 : first).toReversed();
}

const endingsOf = ({ givenUp }: AdoptionView) =>
  barsOf(
    givenUp.map(({ error, registrations, authentications }) => ({
      label: reasonOf(error),
      title: error,
      n: registrations + authentications,
      note: phrase('adoption:endings.note', { registrations, authentications }),
    })),
  );

const modelsOf = ({ models }: AdoptionView) =>
  barsOf(
    models.slice(0, MAX_MODELS).map(({ aaguid, authenticatorName, keys, synced, signIns }) => {
      const label = authenticatorName ?? (aaguid === NO_AAGUID ? MODEL_NOT_REPORTED : UNKNOWN);
      // Unknown models may be invented, so their sign-ins are not counted.
      const note =
        label === UNKNOWN
          ? phrase('adoption:models.uncounted', { synced })
          : phrase('adoption:models.note', { synced, signIns });
      return { label, title: aaguid, n: keys, note };
    }),
  );

const overviewRow = (users: ExpectedUsersView) => ({
  ...users,
  isExpected: users.expected > users.total,
  share: shareText(users.withKey, users.expected),
});

/** The page of one relying party. */
export const adoptionAddress = (domain: string): string =>
  `/adoption?${new URLSearchParams({ rp: domain }).toString()}`;

/**
 * The page of all relying parties together.
 *
 * @param targets by the ID of the relying party (`mapKey`)
 */
export function overviewPage(
  counted: readonly { readonly rp: RelyingParty; readonly users: UsersView }[],
  targets: ReadonlyMap<string, TargetSetting>,
) {
  const rows = counted.map(({ rp, users }) => {
    const target = targets.get(mapKey(rp.id));
    return { rp, target, ...users, expected: expectedUsersOf(target, users.total) };
  });
  const sum = (name: keyof ExpectedUsersView) => rows.reduce((total, row) => total + row[name], 0);
  return {
    ...commonOf(counted.map(({ rp }) => ({ domain: rp.domain, selected: false }))),
    overview: {
      rows: rows.map(({ rp, ...row }) => ({
        ...row,
        ...overviewRow(row),
        domain: rp.domain,
        address: adoptionAddress(rp.domain),
      })),
      all: overviewRow({
        total: sum('total'),
        withKey: sum('withKey'),
        active: sum('active'),
        expected: sum('expected'),
      }),
    },
  };
}
