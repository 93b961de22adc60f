import type { Request } from 'express';
import { phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { callerOf, type Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import { DAY_SECONDS } from '../../platform/common/durations.js';
import type { MetadataAnswer } from './metadata.answer.js';

/** The view of the page for GET /userapi/mds. */
export const metadataPage = ({ entries, stale, sources }: MetadataAnswer, request: Request) => ({
  title: phrase('models:metadata.title'),
  texts: 'models',
  nav: { models: true },
  entries,
  stale,
  /** Whether the account may upload, which needs access to all tenants. */
  mayUpload: mayUpload(callerOf(request)),
  sources: sources.map((source) => ({
    ...source,
    days: daysOf(source.age),
    action: `/userapi/mds/upload?source=${encodeURIComponent(source.source)}`,
  })),
});

const mayUpload = (account: Account): boolean =>
  may(account, 'metadata:change') && account.tenants === undefined;

function daysOf(age: number | null): Text {
  if (age === null) return '–';
  const days = Math.floor(age / DAY_SECONDS);
  return days === 0
    ? phrase('models:metadata.today')
    : phrase('models:metadata.days', { count: days });
}
