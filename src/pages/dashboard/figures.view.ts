import { DAY_MS } from '../../platform/common/durations.js';
import { may } from '../../platform/access/permissions.js';
import { phrase, type Phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { NO_USERS_OR_KEYS, type UserAndKeyCounts } from '../../users/credentials/inventory.js';
import { webhookStateOf } from '../../webhooks/webhook.answer.js';
import { ceremonyFigures, eventCountOf } from './dashboard-counts.js';
import type { DashboardFigures } from './dashboard.service.js';

interface Tile {
  /** A symbol of `views/public/icons/sprite.svg`. */
  readonly icon: string;
  readonly label: Phrase;
  readonly value: Text;
  readonly note?: Phrase | undefined;
  /** The list that the figure counts; absent if the account may not see it. */
  readonly address?: string | undefined;
}

/** Shown while a figure is being counted. */
const COUNTING = '…';

const written = (count: number | undefined): Text =>
  count === undefined ? COUNTING : phrase('dashboard:figures.count', { count });

/** The figures at the top, as far as the account's role can act on them. */
export function tilesOf(figures: DashboardFigures): readonly Tile[] {
  return [...signInTiles(figures), ...userTiles(figures), ...serverTiles(figures)];
}

function signInTiles({ account, day, days }: DashboardFigures): Tile[] {
  const { refused, all } = ceremonyFigures(day);
  const counts = days.map(({ authentications }) => authentications);
  const usual = usualDay(counts.slice(0, -1));
  return [
    {
      icon: 'enter',
      label: phrase('dashboard:figures.signIns'),
      value: written(counts.at(-1) ?? 0),
      note:
        usual === undefined
          ? phrase('dashboard:figures.noUsual')
          : phrase('dashboard:figures.usual', { count: usual }),
      address: '#days',
    },
    {
      icon: 'warning',
      label: phrase('dashboard:figures.refused'),
      value:
        all === 0 ? '–' : phrase('dashboard:figures.percent', { percent: (refused / all) * 100 }),
      note: phrase('dashboard:figures.of', { refused, all }),
      address: may(account, 'users:read') ? '/userapi/explain' : '#refusals',
    },
  ];
}

/** The median of the days since the first with a sign-in; `undefined` without one. */
export function usualDay(counts: readonly number[]): number | undefined {
  const first = counts.findIndex((count) => count > 0);
  if (first < 0) return undefined;
  const sorted = counts.slice(first).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function userTiles({ account, parties, day, unverified, cannotSignIn }: DashboardFigures): Tile[] {
  const sum = (name: keyof UserAndKeyCounts) =>
    parties.reduce((total, { holdings = NO_USERS_OR_KEYS }) => total + holdings[name], 0);
  const [enabled, disabled] = [sum('enabled'), sum('disabled')];
  const users = may(account, 'users:read') ? '/userapi' : undefined;
  return [
    {
      icon: 'user',
      label: phrase('dashboard:users'),
      value: written(sum('users')),
      note: unverified
        ? phrase('dashboard:figures.unverified', { count: parties.length, unverified })
        : phrase('dashboard:figures.at', { count: parties.length }),
      address: users,
    },
    {
      icon: 'cross',
      label: phrase('dashboard:figures.cannotSignIn'),
      value: written(cannotSignIn),
      note: phrase('dashboard:figures.ofUsers', { count: sum('users') }),
      address: users && `${users}?signIn=no`,
    },
    {
      icon: 'key',
      label: phrase('dashboard:figures.newKeys'),
      value: written(eventCountOf(day, 'registration')),
      note: phrase('dashboard:figures.states', { enabled, disabled }),
      address: users && `${users}?sort=-created`,
    },
  ];
}

/** In whole days of 24 hours: the reader's calendar is not known. */
export function ageOfBackup(ms: number): Phrase {
  const days = Math.floor(ms / DAY_MS);
  return days > 0
    ? phrase('dashboard:figures.days', { count: days })
    : phrase('dashboard:figures.underADay');
}

/** About findings, webhooks and backups, for those who can act on them. */
function serverTiles({ account, open, webhooks, backup, now }: DashboardFigures): Tile[] {
  const tiles: Tile[] = [];
  if (may(account, 'users:read')) {
    tiles.push({
      icon: 'shield',
      label: phrase('dashboard:figures.findings'),
      value: written(open && open.copied + open.models + open.reported + open.rules),
      address: '/findings',
    });
  }
  if (webhooks.length > 0) {
    const failing = webhooks.filter((one) => ['failing', 'given-up'].includes(webhookStateOf(one)));
    const [first] = failing.length > 0 ? failing : webhooks;
    tiles.push({
      icon: 'pulse',
      label: phrase('dashboard:figures.webhooks'),
      value: written(failing.length),
      note: phrase('dashboard:figures.ofWebhooks', { count: webhooks.length }),
      address:
        failing.length > 0
          ? '/findings#webhooks'
          : `/tenants/${encodeURIComponent(first?.tenant.name ?? '')}/_webhooks`,
    });
  }
  if (backup !== null) {
    tiles.push({
      icon: 'download',
      label: phrase('dashboard:figures.backup'),
      value: backup === undefined ? phrase('dashboard:figures.never') : ageOfBackup(now - backup),
      address: '/status#server-heading',
    });
  }
  return tiles;
}
