import { visible } from '../../presentation/visible.js';
import type { KeyCard } from './key-card.view.js';
import type { Entry } from './timeline.view.js';

interface Person {
  readonly name: string;
  readonly domain: string;
  readonly known: boolean;
  readonly cards: readonly KeyCard[];
  readonly entries: readonly Entry[];
}

const ENTRIES = 10;

/** What a ticket should say of a person: plain text, without credential IDs and device data. */
export function supportSummary({ name, domain, known, cards, entries }: Person): string {
  return [
    `User ${name} at ${domain}${known ? '' : ' (nobody has this name now)'}`,
    '',
    cards.length === 0 ? 'No keys' : 'Keys:',
    ...cards.map(keyLine),
    '',
    entries.length === 0 ? 'Nothing is recorded' : 'What happened last (UTC):',
    ...entries.slice(0, ENTRIES).map(entryLine),
  ]
    .map(visible)
    .join('\n');
}

const keyLine = ({ deviceName, model, enabled, aaguid, registered, lastUsed }: KeyCard): string =>
  `- ${deviceName} (${model}, AAGUID ${aaguid}): ${enabled ? 'enabled' : 'disabled'}, ` +
  `registered ${registered}, ${lastUsed === undefined ? 'never used' : `last used ${lastUsed}`}`;

const entryLine = ({ at, what, reason, technical }: Entry): string =>
  [`- ${at} ${what}${reason === undefined ? '' : `: ${reason}`}`, technical]
    .filter((part) => part !== '')
    .join(' · ');
