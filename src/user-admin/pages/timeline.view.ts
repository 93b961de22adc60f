import { keptBrowserPhrase } from '../../presentation/languages/browser-phrase.js';
import { phrase } from '../../presentation/languages/phrase.js';
import type { Phrase, Said } from '../../presentation/languages/phrase.js';
import { auditAddress, explainAddress } from './addresses.js';
import type { Author } from '../../audit/audit-reader.js';
import { explain } from '../../errors/plain-words.js';
import type { RecordedEvent } from '../../ledger/event-log.js';
import type { EventKind } from '../../ledger/event.entity.js';

/** How an entry is shown: its colour and its icon. */
type Look = readonly [tone: '' | 'good' | 'bad' | 'warn', icon: string];

const LOOKS: Readonly<Record<EventKind, Look>> = {
  registration: ['good', 'key'],
  authentication: ['good', 'enter'],
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

/** An entry of a timeline. */
export interface Entry {
  readonly at: string;
  readonly tone: Look[0];
  readonly icon: string;
  readonly what: Phrase;
  /** The device name, where the key is known. */
  readonly key: string | undefined;
  /** Of a refusal: what was wrong, and what can be done. */
  readonly reason: string | undefined;
  readonly advice: string | undefined;
  /** What to tell whoever calls about it. */
  readonly tell: string | undefined;
  /** Where all of its request is explained. */
  readonly explained: string | undefined;
  /** Who of the administration did it, and why, where that was said. */
  readonly by: Author | undefined;
  /** Where the audit trail tells of it. */
  readonly trail: string | undefined;
  /** Address and browser of a ceremony, where they are kept. */
  readonly from: string | undefined;
  readonly browser: Phrase | undefined;
  /** For those who look closer. */
  readonly technical: Said;
  readonly name: string;
}

/** What the administration does, of which the audit trail says who and why. */
const ADMINISTERED: readonly EventKind[] = [
  'enabled',
  'disabled',
  'deleted',
  'imported',
  'user-created',
  'user-deleted',
];

/** The requests of events that somebody of the administration caused. */
export const administeredBy = (events: readonly RecordedEvent[]): string[] =>
  events.flatMap(({ kind, requestId }) =>
    ADMINISTERED.includes(kind) && requestId !== null ? [requestId] : [],
  );

/** What else is known of what events name. */
export interface Known {
  /** Names of keys by the fingerprint (hex) that events have of them. */
  readonly deviceNames?: ReadonlyMap<string, string>;
  /** Who caused them, by request. */
  readonly authors?: ReadonlyMap<string, Author>;
}

/** Entries in words. */
export const entriesOf = (events: readonly RecordedEvent[], known: Known = {}): Entry[] =>
  events.map((event) => entryOf(event, known));

function entryOf(event: RecordedEvent, { deviceNames = new Map(), authors }: Known): Entry {
  const { at, kind, code, detail, requestId, username, credential, address, browser } = event;
  const [tone, icon] = LOOKS[kind];
  const refusal = kind.endsWith('-refused') ? explain(code, detail) : undefined;
  const by = requestId === null ? undefined : authors?.get(requestId);
  const facts = [code, detail].filter(Boolean).join(' · ');
  return {
    at: new Date(at).toISOString(),
    ...{ tone, icon, what: phrase(`users:events.${kind}`) },
    from: address ?? undefined,
    browser: browser === null ? undefined : keptBrowserPhrase(browser),
    key: credential && deviceNames.get(credential.toString('hex')),
    reason: refusal?.reason,
    advice: refusal?.advice,
    tell: refusal?.tell,
    explained: refusal && requestId ? explainAddress(requestId) : undefined,
    by,
    trail: by && requestId !== null ? auditAddress(requestId) : undefined,
    technical: requestId === null ? facts : ofRequest(requestId, facts),
    name: username,
  };
}

const ofRequest = (request: string, facts: string): Phrase =>
  facts === ''
    ? phrase('users:timeline.request', { request })
    : phrase('users:timeline.facts', { facts, request });
