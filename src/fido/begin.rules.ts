import type { Fault, Judge } from '../validation/field.js';
import { isObject } from '../validation/field.js';
import { keypairJson } from '../validation/keypair.js';
import { NAME_RULE, isName } from '../validation/names.js';
import { algorithmOf } from './algorithms.js';
import { isExtensions } from './extensions.js';

const MAX_ALGORITHMS = 20;
const REQUIREMENTS = ['preferred', 'required', 'discouraged'] as const;
const ATTACHMENTS = ['platform', 'cross-platform', 'all'] as const;
const HINTS = ['security-key', 'client-device', 'hybrid'] as const;

const broken = (good: boolean, sentence: string): Fault | undefined =>
  good ? undefined : ['E0001R', sentence];

const isOneOf = (words: readonly string[], value: unknown) =>
  typeof value === 'string' && words.includes(value);

/** An optional field that takes one of a few words. */
const word =
  (field: string, words: readonly string[]): Judge =>
  (value) =>
    broken(
      value === undefined || isOneOf(words, value),
      `"${field}" must be one of ${words.join(', ')}.`,
    );

export const usernameRule: Judge = (value) => broken(isName(value), `"username" ${NAME_RULE}.`);
export const displayNameRule: Judge = (value) =>
  broken(isName(value), `"displayName" ${NAME_RULE}.`);
export const userVerificationRule = word('userVerification', REQUIREMENTS);
export const attestationRule = word('attestation', ['none', 'direct', 'indirect']);
export const attachmentRule = word('attachment', ATTACHMENTS);
export const discoverableRule = word('discoverable_credential', REQUIREMENTS);

export const ALGORITHMS_SENTENCE = `"algorithms" must be an array of 1 to ${MAX_ALGORITHMS} known algorithms such as es256.`;

/** Whether RS1 may be asked for, the options say, which this rule does not know. */
export const algorithmsRule: Judge = (value) =>
  broken(
    value === undefined ||
      (Array.isArray(value) &&
        value.length > 0 &&
        value.length <= MAX_ALGORITHMS &&
        value.every((item) => algorithmOf(item, { rs1: true }) !== undefined)),
    ALGORITHMS_SENTENCE,
  );

const selectionParts: Readonly<Record<string, (value: unknown) => boolean>> = {
  requireResidentKey: (value) => typeof value === 'boolean',
  userVerification: (value) => isOneOf(REQUIREMENTS, value),
  residentKey: (value) => isOneOf(REQUIREMENTS, value),
  authenticatorAttachment: (value) => isOneOf(ATTACHMENTS, value),
};

export const authenticatorSelectionRule: Judge = (value) => {
  if (value === undefined) return undefined;
  if (!isObject(value)) return ['E0001R', '"authenticatorSelection" must be an object.'];
  const wrong = Object.entries(selectionParts).find(
    ([name, isRight]) => value[name] !== undefined && !isRight(value[name]),
  );
  return (
    wrong && ['E0001R', `"authenticatorSelection.${wrong[0]}" is not a value that it can have.`]
  );
};

export const keypairRule: Judge = (value) =>
  value === undefined || keypairJson(value) !== undefined ? undefined : 'E0023R';

export const extensionsRule: Judge = (value) =>
  broken(
    value === undefined || isExtensions(value),
    '"extensions" must be an object of at most 2 KiB with inputs of the right form.',
  );

export const hintsRule: Judge = (value) =>
  broken(
    value === undefined ||
      (Array.isArray(value) && value.length <= 3 && value.every((item) => isOneOf(HINTS, item))),
    `"hints" must be an array of ${HINTS.join(', ')}.`,
  );

export const ticketRule: Judge = (value) =>
  broken(value === undefined || typeof value === 'string', '"ticket" must be a string.');
