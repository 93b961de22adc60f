import { isOneOf } from '../validation/decorators.js';
import { Field, Rule, isObject } from '../validation/field.js';
import type { Coded } from '../validation/field.js';
import { keypairJson } from '../validation/keypair.js';
import { SUBJECT_RULE, isSubject } from '../validation/names.js';
import { algorithmOf } from './algorithms.js';
import { isExtensions } from './extensions.js';

const MAX_ALGORITHMS = 20;
export const REQUIREMENTS = ['preferred', 'required', 'discouraged'] as const;
export const CONVEYANCES = ['none', 'direct', 'indirect'] as const;
/** W3C Credential Management §2.3.2: how the browser asks. */
export const MEDIATIONS = ['optional', 'conditional', 'required', 'silent'] as const;
export type Mediation = (typeof MEDIATIONS)[number];
/** The values of `mediation` that a sign-in without a user name can have. */
const NAMELESS: readonly unknown[] = ['optional', 'conditional'] satisfies Mediation[];
export const ATTACHMENTS = ['platform', 'cross-platform', 'all'] as const;
const HINTS = ['security-key', 'client-device', 'hybrid'] as const;

const ALGORITHMS = `must be an array of 1 to ${MAX_ALGORITHMS} known algorithms such as es256`;
export const ALGORITHMS_SENTENCE = `"algorithms" ${ALGORITHMS}.`;

/** Names or COSE numbers. RS1 passes here: the server's options, unknown to this rule, decide about it. */
export const IsAlgorithms = (options: Coded): PropertyDecorator =>
  Rule(
    'isAlgorithms',
    options,
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.length <= MAX_ALGORITHMS &&
      value.every((item) => algorithmOf(item, { rs1: true }) !== undefined),
    ALGORITHMS,
  );

const selectionParts: Readonly<Record<string, (value: unknown) => boolean>> = {
  requireResidentKey: (value) => typeof value === 'boolean',
  userVerification: (value) => isOneOf(REQUIREMENTS, value),
  residentKey: (value) => isOneOf(REQUIREMENTS, value),
  authenticatorAttachment: (value) => isOneOf(ATTACHMENTS, value),
};

/** W3C WebAuthn L3 §5.4.4 AuthenticatorSelectionCriteria; members that we do not know may have any value. */
export const IsAuthenticatorSelection = (options: Coded): PropertyDecorator =>
  Field('isAuthenticatorSelection', options, (property) => (value) => {
    const { code } = options.context;
    if (!isObject(value)) return [code, `"${property}" must be an object.`];
    const wrong = Object.entries(selectionParts).find(
      ([name, isRight]) => value[name] !== undefined && !isRight(value[name]),
    );
    return wrong && [code, `"${property}.${wrong[0]}" is not a value that it can have.`];
  });

/** Device metadata: a JSON object of at most 4 KiB and 8 levels, or a string that holds one. */
export const IsKeypair = (options: Coded): PropertyDecorator =>
  Field(
    'isKeypair',
    options,
    () => (value) => (keypairJson(value) === undefined ? options.context.code : undefined),
  );

export const IsExtensions = (options: Coded): PropertyDecorator =>
  Rule(
    'isExtensions',
    options,
    isExtensions,
    'must be an object of at most 2 KiB with inputs of the right form',
  );

/** Applies a rule unless the name is absent and `mediation` says that the sign-in is without one. */
export const unlessNameless = <Options extends Coded>(options: Options): Options => ({
  ...options,
  validateIf: (body: object, value) =>
    value !== undefined || !('mediation' in body) || !NAMELESS.includes(body.mediation),
});

/** The user's ID at the customer's own application. */
export const IsUserId = (options: Coded): PropertyDecorator =>
  Rule('isUserId', options, isSubject, SUBJECT_RULE);

/** W3C WebAuthn L3 §5.8.7 PublicKeyCredentialHint. */
export const IsHints = (options: Coded): PropertyDecorator =>
  Rule(
    'isHints',
    options,
    (value) =>
      Array.isArray(value) && value.length <= 3 && value.every((item) => isOneOf(HINTS, item)),
    `must be an array of ${HINTS.join(', ')}`,
  );
