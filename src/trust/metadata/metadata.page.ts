import { phrase } from '../../presentation/languages/phrase.js';
import type { Said } from '../../presentation/languages/phrase.js';
import type { PageView } from '../../presentation/page.view.js';
import type { MetadataAnswer, SourceReport } from './metadata.answer.js';

const DAY = 86_400;

/** The answer of GET /userapi/mds. */
/** A source with what the page needs: its age for reading, and where its form goes. */
interface SourceRow extends SourceReport {
  readonly days: Said;
  readonly action: string;
}

export interface MetadataPage extends PageView {
  readonly entries: number;
  readonly stale: boolean;
  readonly sources: readonly SourceRow[];
}

/** The page of the same path. */
export const metadataPage = ({ entries, stale, sources }: MetadataAnswer): MetadataPage => ({
  title: phrase('models:metadata.title'),
  texts: 'models',
  nav: { models: true },
  entries,
  stale,
  sources: sources.map((source) => ({
    ...source,
    days: daysOf(source.age),
    action: `/userapi/mds/upload?source=${encodeURIComponent(source.source)}`,
  })),
});

function daysOf(age: number | null): Said {
  if (age === null) return '–';
  const days = Math.floor(age / DAY);
  return days === 0
    ? phrase('models:metadata.today')
    : phrase('models:metadata.days', { count: days });
}
