import type { PageView } from '../presentation/page.view.js';
import type { AdoptionView, FunnelView } from './adoption.answer.js';
import type { BrowserFamily } from '../ledger/ceremony-counts/ceremony-count.entity.js';

/** What a browser's error means to people. */
const ENDINGS: Readonly<Record<string, string>> = {
  NotAllowedError: 'The prompt was closed, or the browser refused',
  TimeoutError: 'Nobody answered in time',
  InvalidStateError: 'The authenticator had a key of this user already',
  NotSupportedError: 'The authenticator cannot do what was asked',
  ConstraintError: 'The authenticator cannot verify its user as demanded',
  SecurityError: 'The page may not use keys of this domain',
  OperationError: 'Another prompt of the page was open',
  AbortError: 'The page closed the prompt',
  UnknownError: 'The authenticator failed',
};
const BROWSERS: Readonly<Record<BrowserFamily, string>> = {
  chrome: 'Chrome',
  edge: 'Edge',
  firefox: 'Firefox',
  opera: 'Opera',
  safari: 'Safari',
  samsung: 'Samsung Internet',
  other: 'Another browser',
  backend: 'Not told: a backend called',
};
const NO_MODEL = '00000000-0000-0000-0000-000000000000';
const MOST_MODELS = 15;

/** A relying party that can be chosen. */
export interface Choice {
  readonly domain: string;
  readonly selected: boolean;
}

/** A row with a bar. */
interface Bar {
  readonly label: string;
  /** What the label stands for, where that is longer. */
  readonly title?: string | undefined;
  readonly n: number;
  readonly written: string;
  readonly note?: string;
}

interface Bars {
  readonly most: number;
  readonly rows: readonly Bar[];
}

export interface AdoptionPageView extends PageView {
  readonly choices: readonly Choice[];
  /** Absent where there is no relying party. */
  readonly domain?: string;
  /** Whether anything has happened here. */
  readonly lively?: boolean;
  readonly figures?: readonly object[];
  readonly weeks?: { readonly most: number; readonly rows: readonly object[] };
  readonly endings?: Bars;
  readonly browsers?: readonly object[];
  readonly models?: Bars;
  readonly more?: number;
  readonly complete?: boolean;
  readonly move?: object | undefined;
}

const written = (number: number): string => number.toLocaleString('en');

const shareOf = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`;

const barsOf = (rows: readonly Bar[]): Bars => ({
  most: Math.max(1, ...rows.map(({ n }) => n)),
  rows,
});

const begunOf = ({ begun, finished }: FunnelView): object => ({
  begun: written(begun),
  finished: written(finished),
  share: shareOf(finished, begun),
});

/** The page for a relying party; without one where there is none. */
export function adoptionPage(
  adoption: AdoptionView | undefined,
  choices: readonly Choice[],
): AdoptionPageView {
  const page = {
    title: 'Adoption',
    nav: { adoption: true },
    styles: ['/static/css/users.css', '/static/css/dashboard.css'],
    choices,
  } as const;
  if (!adoption) return page;
  const { relyingParty: domain, keys, funnel, move } = adoption;
  const begun = funnel.registrations.begun + funnel.authentications.begun + funnel.autofill.begun;
  return {
    ...page,
    domain,
    lively: keys.total > 0 || begun > 0,
    figures: figuresOf(adoption),
    weeks: weeksOf(adoption),
    endings: endingsOf(adoption),
    browsers: adoption.browsers.map(({ browser, registrations, authentications }) => ({
      name: BROWSERS[browser],
      registrations: begunOf(registrations),
      signIns: begunOf(authentications),
    })),
    models: modelsOf(adoption),
    more: Math.max(0, adoption.models.length - MOST_MODELS),
    complete: keys.complete,
    move: move && { ...move, share: shareOf(move.moved, move.users) },
  };
}

function figuresOf({ keys, funnel }: AdoptionView): readonly object[] {
  const came = ({ begun, finished, givenUp }: FunnelView) =>
    `${written(finished)} of ${written(begun)} begun; ${written(givenUp)} given up`;
  const { registrations, authentications } = funnel;
  return [
    {
      icon: 'key',
      label: 'Registrations finished',
      value: shareOf(registrations.finished, registrations.begun),
      note: came(registrations),
    },
    {
      icon: 'enter',
      label: 'Sign-ins finished',
      value: shareOf(authentications.finished, authentications.begun),
      note: came(authentications),
    },
    {
      icon: 'user',
      label: 'Further keys',
      value: shareOf(keys.further, keys.total),
      note: `${written(keys.first)} first keys, ${written(keys.further)} further ones`,
    },
    {
      icon: 'globe',
      label: 'Synced keys',
      value: shareOf(keys.synced, keys.total),
      note: `${written(keys.synced)} synced, ${written(keys.bound)} bound to a device`,
    },
  ];
}

function weeksOf({ weeks }: AdoptionView) {
  return {
    most: Math.max(1, ...weeks.map(({ registrations }) => registrations)),
    rows: sinceTheFirst(weeks).map((week) => ({
      from: week.from,
      n: week.registrations,
      registrations: written(week.registrations),
      begun: written(week.begun.begun),
      givenUp: written(week.begun.givenUp),
      first: written(week.first),
      further: written(week.further),
      synced: written(week.synced),
      bound: written(week.bound),
      signIns: `${written(week.signIns.finished)} of ${written(week.signIns.begun)}`,
    })),
  };
}

/** The newest first, without the weeks before anything happened. */
function sinceTheFirst(weeks: AdoptionView['weeks']): AdoptionView['weeks'] {
  const first = weeks.findIndex(
    ({ registrations, kept, begun, signIns }) =>
      registrations + kept + begun.begun + signIns.begun > 0,
  );
  return weeks.slice(first < 0 ? -1 : first).toReversed();
}

const endingsOf = ({ givenUp }: AdoptionView): Bars =>
  barsOf(
    givenUp.map(({ error, registrations, authentications }) => ({
      label: ENDINGS[error] ?? 'Something else',
      title: error,
      n: registrations + authentications,
      written: written(registrations + authentications),
      note: `${written(registrations)} registrations, ${written(authentications)} sign-ins`,
    })),
  );

const modelsOf = ({ models }: AdoptionView): Bars =>
  barsOf(
    models.slice(0, MOST_MODELS).map(({ aaguid, authenticatorName, keys, synced, signIns }) => ({
      label: authenticatorName ?? (aaguid === NO_MODEL ? 'Model not told' : 'Unknown model'),
      title: aaguid,
      n: keys,
      written: written(keys),
      note: `${written(synced)} synced; ${written(signIns)} sign-ins`,
    })),
  );
