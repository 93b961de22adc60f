import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { SECOND_MS } from '../../platform/common/durations.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { ConsoleChallenges } from '../keys/console-challenges.js';
import { ConsoleSessions } from '../sessions/console-sessions.js';
import { LOGOUT_TOKEN_SECONDS, type ProviderLogout } from './identity-provider.js';

type EndedSession = Pick<ProviderLogout, 'subject' | 'sid'>;

/** Logouts of a provider that come while a sign-in is under way, on any instance. */
@Injectable()
export class ProviderLogouts {
  constructor(
    private readonly challenges: ConsoleChallenges,
    private readonly sessions: ConsoleSessions,
    private readonly clock: Clock,
  ) {}

  /** Steps that use a logout token up, and note the logout. */
  async noting({ id, subject, sid }: ProviderLogout): Promise<Step[]> {
    const now = await this.sessions.time();
    const endsAt = this.clock.now() + LOGOUT_TOKEN_SECONDS * SECOND_MS;
    const ofTheUser = sid === undefined ? ofUser : withoutSession;
    const texts = [
      ...(sid === undefined ? [] : [ofSession(sid)]),
      ...(subject === undefined ? [] : [ofTheUser(subject)]),
    ];
    return [
      ...this.challenges.useOnce(`logout ${id}`, endsAt),
      ...texts.flatMap((text) => this.challenges.note(text, now)),
    ];
  }

  /** Steps that note that a user may not sign in any longer. */
  async notingUser(subject: string): Promise<Step[]> {
    return this.challenges.note(ofUser(subject), await this.sessions.time());
  }

  /** Steps that fail if one of this user's sessions has ended since: their unit must not begin another one. */
  noneSince(since: number, { subject = '', sid }: EndedSession): Step[] {
    const texts = [ofUser(subject), sid === undefined ? withoutSession(subject) : ofSession(sid)];
    return texts.flatMap((text) => this.challenges.notNotedSince(text, since));
  }
}

const ofSession = (sid: string): string => `logout of the session ${sid}`;
/** All sessions of a user. */
const ofUser = (subject: string): string => `logout of the user ${subject}`;
/** The sessions of a user for which the provider gave no ID. */
const withoutSession = (subject: string): string =>
  `logout without a session of the user ${subject}`;
