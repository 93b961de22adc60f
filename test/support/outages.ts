import type { PrivateInstance } from '../../scripts/lib/services/private-instance.mjs';

export interface Outage {
  readonly id: string;
  readonly victim: 'MariaDB' | 'Redis';
  readonly name: string;
  strike(victim: PrivateInstance): unknown;
  mend(victim: PrivateInstance): unknown;
  /** The maximum duration of an answer during the fault. */
  readonly answerMs: number;
}

/** After the outage, within which time the server works again. */
export const HEALED_MS = { MariaDB: 10_000, Redis: 5_000 };

const frozen = {
  name: 'frozen',
  strike: (victim: PrivateInstance) => victim.freeze(),
  mend: (victim: PrivateInstance) => victim.thaw(),
};
const stopped = {
  name: 'stopped',
  strike: (victim: PrivateInstance) => victim.end('SIGTERM'),
  mend: (victim: PrivateInstance) => victim.start(),
};
const killed = {
  name: 'killed',
  strike: (victim: PrivateInstance) => victim.end('SIGKILL'),
  mend: (victim: PrivateInstance) => victim.start(),
};

export const OUTAGES: readonly Outage[] = [
  { id: 'FL09', victim: 'MariaDB', answerMs: 3000, ...frozen },
  { id: 'FL08', victim: 'MariaDB', answerMs: 1000, ...stopped },
  { id: 'FL08', victim: 'MariaDB', answerMs: 1000, ...killed },
  { id: 'FL15', victim: 'Redis', answerMs: 1000, ...frozen },
  { id: 'FL14', victim: 'Redis', answerMs: 1000, ...stopped },
  { id: 'FL17', victim: 'Redis', answerMs: 1000, ...killed },
];
