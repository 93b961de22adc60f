import type { Request } from 'express';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Text } from '../../platform/pages/languages/phrase.js';
import type { PageView } from '../../platform/pages/page.view.js';
import { ANYBODY, accountOf } from '../../platform/access/accounts/account.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';
import type { MetadataAnswer, SourceReport } from './metadata.answer.js';

const DAY = 86_400;

/** A source with what the page needs: its age in words, and the address of its upload form. */
interface SourceRow extends SourceReport {
  readonly days: Text;
  readonly action: string;
}

interface MetadataPage extends PageView {
  readonly entries: number;
  readonly stale: boolean;
  readonly sources: readonly SourceRow[];
  /** Whether the account may upload, which needs access to all tenants. */
  readonly mayUpload: boolean;
}

/** The view of the page for GET /userapi/mds. */
export const metadataPage = (
  { entries, stale, sources }: MetadataAnswer,
  request: Request,
): MetadataPage => ({
  title: phrase('models:metadata.title'),
  texts: 'models',
  nav: { models: true },
  entries,
  stale,
  mayUpload: mayUpload(accountOf(request) ?? ANYBODY),
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
  const days = Math.floor(age / DAY);
  return days === 0
    ? phrase('models:metadata.today')
    : phrase('models:metadata.days', { count: days });
}
