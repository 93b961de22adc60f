import { explain } from '../../errors/plain-words.js';
import type { RecordedEvent } from '../../ledger/event-log.js';
import type { EventKind } from '../../ledger/event.entity.js';

/** How an entry is shown: its colour, its icon and what happened. */
type Words = readonly [tone: '' | 'good' | 'bad' | 'warn', icon: string, what: string];

const WORDS: Readonly<Record<EventKind, Words>> = {
  registration: ['good', 'key', 'Registered a key'],
  authentication: ['good', 'enter', 'Signed in'],
  'clone-alarm': ['bad', 'warning', 'A key may have been copied'],
  enabled: ['', 'check', 'Key enabled'],
  disabled: ['', 'cross', 'Key disabled'],
  deleted: ['', 'trash', 'Key deleted'],
  imported: ['', 'key', 'Key imported from another server'],
  'user-created': ['', 'user', 'User created'],
  'user-deleted': ['', 'trash', 'User deleted'],
  'registration-refused': ['bad', 'cross', 'Registration refused'],
  'authentication-refused': ['bad', 'cross', 'Sign-in refused'],
  policy: ['warn', 'info', 'A rule that only reports would have refused this'],
};

/** An entry of a timeline. */
export interface Entry {
  readonly at: string;
  readonly tone: Words[0];
  readonly icon: string;
  readonly what: string;
  /** The device name, where the key is known; else its fingerprint, where there is one. */
  readonly key: string | undefined;
  /** Of a refusal: what was wrong, and what can be done. */
  readonly reason: string | undefined;
  readonly advice: string | undefined;
  /** For those who look closer. */
  readonly technical: string;
  readonly name: string;
}

/**
 * Entries in words.
 *
 * @param deviceNames names of keys by the fingerprint (hex) that events have of them
 */
export const entriesOf = (
  events: readonly RecordedEvent[],
  deviceNames: ReadonlyMap<string, string> = new Map(),
): Entry[] => events.map((event) => entryOf(event, deviceNames));

function entryOf(event: RecordedEvent, deviceNames: ReadonlyMap<string, string>): Entry {
  const { at, kind, code, detail, requestId, username, credential } = event;
  const [tone, icon, what] = WORDS[kind];
  const refusal = kind.endsWith('-refused') ? explain(code, detail) : undefined;
  const technical = [code, detail, requestId && `request ${requestId}`].filter(Boolean);
  return {
    at: new Date(at).toISOString(),
    ...{ tone, icon, what },
    key: credential && keyOf(credential.toString('hex'), deviceNames),
    reason: refusal?.reason,
    advice: refusal?.advice,
    technical: technical.join(' · '),
    name: username,
  };
}

const keyOf = (fingerprint: string, deviceNames: ReadonlyMap<string, string>): string =>
  deviceNames.get(fingerprint) ?? `a key with the fingerprint ${fingerprint}`;
