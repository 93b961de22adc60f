import { phrase, type Phrase, type Text } from '../../../platform/pages/languages/phrase.js';
import type { KeyCard } from './key-card.view.js';
import type { TimelineEntry } from './timeline.view.js';

interface SummarizedUser {
  readonly name: string;
  readonly domain: string;
  readonly known: boolean;
  readonly cards: readonly KeyCard[];
  readonly entries: readonly TimelineEntry[];
}

const ENTRIES = 10;

/** A summary of a user for a support ticket: plain text, without credential IDs and device data. */
export function supportSummary({ name, domain, known, cards, entries }: SummarizedUser): Text[] {
  return [
    known
      ? phrase('users:summary.person', { name, domain })
      : phrase('users:summary.nobody', { name, domain }),
    '',
    cards.length === 0 ? phrase('users:summary.noKeys') : phrase('users:summary.keys'),
    ...cards.map(keyLine),
    '',
    entries.length === 0 ? phrase('users:summary.nothing') : phrase('users:summary.happened'),
    ...entries.slice(0, ENTRIES).map(entryLine),
  ];
}

const keyLine = ({ enabled, lastUsed, label: name, ...card }: KeyCard): Phrase =>
  phrase('users:summary.key', {
    name,
    model: card.model,
    aaguid: card.aaguid,
    registered: card.registered,
    state: enabled ? phrase('users:summary.enabled') : phrase('users:summary.disabled'),
    used:
      lastUsed === undefined
        ? phrase('users:summary.neverUsed')
        : phrase('users:summary.lastUsed', { at: lastUsed }),
  });

function entryLine({ at, what, reason, technical }: TimelineEntry): Phrase {
  const line =
    reason === undefined
      ? phrase('users:summary.entry', { at, what })
      : phrase('users:summary.refusal', { at, what, reason });
  return technical === '' ? line : phrase('users:summary.technical', { line, technical });
}
