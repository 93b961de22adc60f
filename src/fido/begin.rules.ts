import { problem } from '../platform/errors/reasons.js';
import type { Problem } from '../platform/errors/reasons.js';
import { isOneOf } from '../platform/validation/decorators.js';
import { Rule } from '../platform/validation/rule.js';
import type { Coded } from '../platform/validation/rule.js';
import { keypairJson } from '../platform/validation/values/keypair.js';
import { isSubject, subjectProblem } from '../platform/validation/values/names.js';
import { algorithmOf } from './registration/algorithms.js';
import { APP_ID_INPUTS, isExtensions } from './registration/extensions.js';

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

export const algorithmsProblem = (field: string): Problem =>
  problem('field.algorithms', { field, most: MAX_ALGORITHMS });

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
    algorithmsProblem,
  );

/** Device metadata: a JSON object of at most 4 KiB and 8 levels, or a string that holds one. */
export const IsKeypair = (options: Coded): PropertyDecorator =>
  Rule('isKeypair', options, (value) => keypairJson(value) !== undefined);

/** WebAuthn L3 §9.3 client extension inputs, except those that name a U2F AppID. */
export const IsExtensions = (options: Coded): PropertyDecorator =>
  Rule(
    'isExtensions',
    options,
    (value) => isExtensions(value) && appIdInput(value) === undefined,
    (field, value) => {
      const name = isExtensions(value) ? appIdInput(value) : undefined;
      return name === undefined
        ? problem('field.extensions', { field })
        : problem('field.appId', { field, name });
    },
  );

const appIdInput = (inputs: object) => APP_ID_INPUTS.find((input) => Object.hasOwn(inputs, input));

/** The name may be absent only where `mediation` says that the sign-in is without one. */
export const needsName = (body: object, username: unknown): boolean =>
  username !== undefined || !('mediation' in body) || !NAMELESS.includes(body.mediation);

/** The user's ID at the customer's own application. */
export const IsUserId = (options: Coded): PropertyDecorator =>
  Rule('isUserId', options, isSubject, subjectProblem);

/** W3C WebAuthn L3 §5.8.7 PublicKeyCredentialHint. */
export const IsHints = (options: Coded): PropertyDecorator =>
  Rule(
    'isHints',
    options,
    (value) =>
      Array.isArray(value) && value.length <= 3 && value.every((item) => isOneOf(HINTS, item)),
    (field) => problem('field.hints', { field, words: HINTS.join(', ') }),
  );
