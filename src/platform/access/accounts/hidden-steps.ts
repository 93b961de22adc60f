import { hash } from 'node:crypto';

/**
 * Name of the record that an account has hidden the list of first steps. It contains a digest, since account names may
 * be longer than the name of a record.
 */
export const hiddenStepsOf = (name: string): string =>
  `first-steps ${hash('sha256', name, 'base64url')}`;
