import type { ChangeAuthor } from '../../../audit/account-activity.js';
import { keptBrowserPhrase } from '../../../platform/pages/languages/browser-phrase.js';
import { phrase, type Phrase, type Text } from '../../../platform/pages/languages/phrase.js';
import { mapKey } from '../../../platform/database/row-ids.js';
import { auditAddress, explainAddress } from '../page-frame.js';
import { explain } from '../../../events/refusal-explanation.js';
import { type RecordedEvent } from '../../../events/event-log.js';
import type { EventKind } from '../../../events/event.entity.js';

type Tone = '' | 'good' | 'bad' | 'warn';

const LOOKS: Readonly<Record<EventKind, readonly [tone: Tone, icon: string]>> = {
  registration: ['good', 'key'],
  authentication: ['good', 'enter'],
  'second-factor': ['good', 'check'],
  'clone-alarm': ['bad', 'warning'],
  enabled: ['', 'check'],
  disabled: ['', 'cross'],
  deleted: ['', 'trash'],
  imported: ['', 'key'],
  'user-created': ['', 'user'],
  'user-deleted': ['', 'trash'],
  'user-suspended': ['warn', 'cross'],
  'user-unsuspended': ['', 'check'],
  'user-groups-changed': ['', 'user'],
  'registration-refused': ['bad', 'cross'],
  'authentication-refused': ['bad', 'cross'],
  policy: ['warn', 'info'],
  finding: ['warn', 'warning'],
  'finding-closed': ['good', 'check'],
  'key-reported': ['bad', 'warning'],
};

/** Events whose detail changes the words instead of appearing in the small print; the usual words fit all others. */
const IN_WORDS: Partial<Record<EventKind, Readonly<Record<string, string>>>> = {
  'clone-alarm': { overlapping: 'overlapping-alarm' },
  deleted: { disabled: 'disabled-deleted' },
  imported: { disabled: 'disabled-imported' },
  'user-created': { restored: 'user-restored' },
  'user-suspended': { directory: 'directory-suspended' },
  'user-unsuspended': { directory: 'directory-unsuspended' },
};

/** Events that the administration causes; the audit trail contains the author and the reason. */
const ADMINISTERED: readonly EventKind[] = [
  'enabled',
  'disabled',
  'deleted',
  'imported',
  'user-created',
  'user-deleted',
  'user-suspended',
  'user-unsuspended',
  'user-groups-changed',
];

/** The IDs of the requests with which the administration caused some of the events. */
export const administeredBy = (events: readonly RecordedEvent[]): string[] =>
  events.flatMap(({ kind, requestId }) =>
    ADMINISTERED.includes(kind) && requestId !== null ? [requestId] : [],
  );

/**
 * @param keys labels of keys by their fingerprint (`mapKey`) in events
 * @param authors the authors of events, by request ID
 */
export const timelineEntries = (
  events: readonly RecordedEvent[],
  keys?: ReadonlyMap<string, Text>,
  authors?: ReadonlyMap<string, ChangeAuthor>,
) => events.map((event) => entryOf(event, keys, authors));

export type TimelineEntry = ReturnType<typeof entryOf>;

function entryOf(
  event: RecordedEvent,
  keys: ReadonlyMap<string, Text> | undefined,
  authors: ReadonlyMap<string, ChangeAuthor> | undefined,
) {
  const { at, kind, code, detail, requestId, username, credential, address, browser } = event;
  const [tone, icon] = LOOKS[kind];
  const refusal = kind.endsWith('-refused') ? explain(code, detail) : undefined;
  const by = requestId === null ? undefined : authors?.get(requestId);
  const inWords = IN_WORDS[kind];
  const facts = [code, inWords ? null : detail].filter(Boolean).join(' · ');
  return {
    at: new Date(at).toISOString(),
    tone,
    icon,
    what: phrase(`users:events.${inWords?.[detail ?? ''] ?? kind}`),
    /** The address and browser of a ceremony, if they are stored. */
    from: address ?? undefined,
    browser: browser === null ? undefined : keptBrowserPhrase(browser),
    /** The key's label, if the key still exists. */
    key: credential ? keys?.get(mapKey(credential)) : undefined,
    /** For a refusal: what was wrong, and what can be done. */
    reason: refusal?.reason,
    advice: refusal?.advice,
    /** What the help desk tells a user who asks about it. */
    tell: refusal?.tell,
    /** The address of the page that explains the whole request. */
    explained: refusal && requestId ? explainAddress(requestId) : undefined,
    /** The account that did it and, if given, the reason. */
    by,
    /** The address of its rows in the audit trail. */
    trail: by && requestId !== null ? auditAddress(requestId) : undefined,
    /** Error code, detail and request ID, for further analysis. */
    technical: requestId === null ? facts : ofRequest(requestId, facts),
    name: username,
  };
}

const ofRequest = (request: string, facts: string): Phrase =>
  facts === ''
    ? phrase('users:timeline.request', { request })
    : phrase('users:timeline.facts', { facts, request });
