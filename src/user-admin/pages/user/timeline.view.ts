import { keptBrowserPhrase } from '../../../platform/pages/languages/browser-phrase.js';
import { phrase, type Phrase, type Text } from '../../../platform/pages/languages/phrase.js';
import { auditAddress, explainAddress } from '../addresses.js';
import type { Author } from '../../../audit/audit-reader.js';
import { explain } from '../../../platform/pages/refusal-explanation.js';
import type { RecordedEvent } from '../../../events/event-log.js';
import type { EventKind } from '../../../events/event.entity.js';

/** How an entry is shown: its colour and its icon. */
type Look = readonly [tone: '' | 'good' | 'bad' | 'warn', icon: string];

const LOOKS: Readonly<Record<EventKind, Look>> = {
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
  'registration-refused': ['bad', 'cross'],
  'authentication-refused': ['bad', 'cross'],
  policy: ['warn', 'info'],
  finding: ['warn', 'warning'],
  'finding-closed': ['good', 'check'],
};

/** Events that the administration causes; the audit trail says by whom and why. */
const ADMINISTERED: readonly EventKind[] = [
  'enabled',
  'disabled',
  'deleted',
  'imported',
  'user-created',
  'user-deleted',
];

/** IDs of the requests by which the administration caused some of the events. */
export const administeredBy = (events: readonly RecordedEvent[]): string[] =>
  events.flatMap(({ kind, requestId }) =>
    ADMINISTERED.includes(kind) && requestId !== null ? [requestId] : [],
  );

/** What is known about keys and requests that events name. */
export interface Known {
  /** Labels of keys by the fingerprint (hex) that events have of them. */
  readonly keys?: ReadonlyMap<string, Text>;
  /** Who caused events, by request ID. */
  readonly authors?: ReadonlyMap<string, Author>;
}

/** The entries of a timeline, in words. */
export const entriesOf = (events: readonly RecordedEvent[], known: Known = {}) =>
  events.map((event) => entryOf(event, known));

export type Entry = ReturnType<typeof entryOf>;

function entryOf(event: RecordedEvent, { keys, authors }: Known) {
  const { at, kind, code, detail, requestId, username, credential, address, browser } = event;
  const [tone, icon] = LOOKS[kind];
  const refusal = kind.endsWith('-refused') ? explain(code, detail) : undefined;
  const by = requestId === null ? undefined : authors?.get(requestId);
  const facts = [code, detail].filter(Boolean).join(' · ');
  return {
    at: new Date(at).toISOString(),
    tone,
    icon,
    what: phrase(`users:events.${kind}`),
    /** Address and browser of a ceremony, where they are kept. */
    from: address ?? undefined,
    browser: browser === null ? undefined : keptBrowserPhrase(browser),
    /** The key's label, where the key still exists. */
    key: credential ? keys?.get(credential.toString('hex')) : undefined,
    /** For a refusal: what was wrong, and what can be done. */
    reason: refusal?.reason,
    advice: refusal?.advice,
    /** What to say to a user who calls about it. */
    tell: refusal?.tell,
    /** Address of the page that explains the whole request. */
    explained: refusal && requestId ? explainAddress(requestId) : undefined,
    /** Who in the administration did it, and the reason, where one was given. */
    by,
    /** Address of its rows in the audit trail. */
    trail: by && requestId !== null ? auditAddress(requestId) : undefined,
    /** Error code, detail and request ID, for those who look closer. */
    technical: requestId === null ? facts : ofRequest(requestId, facts),
    name: username,
  };
}

const ofRequest = (request: string, facts: string): Phrase =>
  facts === ''
    ? phrase('users:timeline.request', { request })
    : phrase('users:timeline.facts', { facts, request });
