import { Injectable } from '@nestjs/common';
import { AuditReader, type Author } from '../../../audit/audit-reader.js';
import { Clock } from '../../../platform/common/clock.js';
import {
  EarlierNames,
  type HeldName,
  type FormerNameOwner,
} from '../../../users/earlier-names/earlier-names.js';
import { withLabels } from '../../../users/credentials/key-label.js';
import type { FoundUser } from '../../../users/user-rows.js';
import { keptBrowserPhrase } from '../../../platform/pages/languages/browser-phrase.js';
import { phrase, type Phrase, type Text } from '../../../platform/pages/languages/phrase.js';
import { auditAddress, explainAddress } from '../page-frame.js';
import { explain } from '../../../platform/pages/refusal-explanation.js';
import {
  EventLog,
  positionAtEndOf,
  type NameInTime,
  type RecordedEvent,
} from '../../../events/event-log.js';
import { fingerprintOf } from '../../../events/ledger.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../../trust/authenticator-models.js';
import { eventCursorOf, eventPositionOf } from '../../list-cursors.js';
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
  'registration-refused': ['bad', 'cross'],
  'authentication-refused': ['bad', 'cross'],
  policy: ['warn', 'info'],
  finding: ['warn', 'warning'],
  'finding-closed': ['good', 'check'],
};

/** Events whose detail changes the words instead of appearing in the small print; the usual words fit all others. */
const IN_WORDS: Partial<Record<EventKind, Readonly<Record<string, string>>>> = {
  'clone-alarm': { overlapping: 'overlapping-alarm' },
  deleted: { disabled: 'disabled-deleted' },
  imported: { disabled: 'disabled-imported' },
  'user-created': { restored: 'user-restored' },
};

/** Events that the administration causes; the audit trail contains the author and the reason. */
const ADMINISTERED: readonly EventKind[] = [
  'enabled',
  'disabled',
  'deleted',
  'imported',
  'user-created',
  'user-deleted',
];

/** The IDs of the requests with which the administration caused some of the events. */
const administeredBy = (events: readonly RecordedEvent[]): string[] =>
  events.flatMap(({ kind, requestId }) =>
    ADMINISTERED.includes(kind) && requestId !== null ? [requestId] : [],
  );

/**
 * @param keys labels of keys by their fingerprint (hex) in events
 * @param authors the authors of events, by request ID
 */
export const timelineEntries = (
  events: readonly RecordedEvent[],
  keys?: ReadonlyMap<string, Text>,
  authors?: ReadonlyMap<string, Author>,
) => events.map((event) => entryOf(event, keys, authors));

export type TimelineEntry = ReturnType<typeof entryOf>;

function entryOf(
  event: RecordedEvent,
  keys: ReadonlyMap<string, Text> | undefined,
  authors: ReadonlyMap<string, Author> | undefined,
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
    key: credential ? keys?.get(credential.toString('hex')) : undefined,
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

const ENTRIES = 40;
/** Events are stamped by the clock of their instance, which may be ahead of this one. */
const AHEAD_MS = 60_000;

/** The events of a user's keys, under all names that the user has had, with their authors. */
@Injectable()
export class UserTimeline {
  constructor(
    private readonly log: EventLog,
    private readonly trail: AuditReader,
    private readonly earlier: EarlierNames,
    private readonly models: AuthenticatorModels,
    private readonly clock: Clock,
  ) {}

  /**
   * A user's names, each with its period, here and at the old domain; if no user here has the name
   * `called`, that name comes first.
   */
  async namesOf(
    rp: RelyingParty,
    users: readonly FoundUser[],
    called: string,
  ): Promise<HeldName[]> {
    const names = (await Promise.all(users.map((user) => this.earlier.heldBy(user)))).flat();
    const isHere = users.some(({ relyingParty }) => relyingParty.id.equals(rp.id));
    return isHere ? names : [{ relyingParty: rp, username: called, from: 0 }, ...names];
  }

  /** Users who had this name before and have another one now. */
  async formerOwners(rp: RelyingParty, name: string): Promise<FormerNameOwner[]> {
    const found = await this.earlier.formerOwners(rp, name);
    return found.filter(({ username }) => username !== name);
  }

  /**
   * A part of the events under these names, newest first.
   *
   * @param users the users whose keys the entries name
   * @param cursor where the part begins; the newest event if absent
   * @returns `older`: the cursor at which older entries begin
   */
  async of(
    names: readonly NameInTime[],
    users: readonly FoundUser[],
    cursor: string | undefined,
  ): Promise<{ entries: TimelineEntry[]; older: string | undefined }> {
    const before =
      cursor === undefined ? positionAtEndOf(this.clock.now() + AHEAD_MS) : eventPositionOf(cursor);
    const found = await this.log.ofNames(names, { from: 0, before, limit: ENTRIES + 1 });
    const shown = found.slice(0, ENTRIES);
    const authors = await this.trail.authorsOf(administeredBy(shown));
    const last = found.length > ENTRIES ? shown.at(-1) : undefined;
    return {
      entries: timelineEntries(shown, this.labelsOf(users), authors),
      older: last && eventCursorOf(last),
    };
  }

  /** Labels of the keys that still exist, by their fingerprint (hex) in events. */
  private labelsOf(users: readonly FoundUser[]): ReadonlyMap<string, Text> {
    const keys = users.flatMap(({ credentials }) => withLabels(credentials, this.models));
    return new Map(
      keys.map(({ credentialHash, label }) => [
        fingerprintOf(credentialHash).toString('hex'),
        label,
      ]),
    );
  }
}
