import { EVENT_KINDS } from '../ledger/event.view.js';
import { isOneOf } from '../validation/decorators.js';
import { Rule } from '../validation/field.js';
import type { Coded } from '../validation/field.js';
import { isListOf } from '../validation/lists.js';

const MAX_URL = 2048;

/** Checks the address of a webhook. */
export const IsWebhookUrl = (options: Coded): PropertyDecorator =>
  Rule(
    'isWebhookUrl',
    options,
    isWebhookUrl,
    `must be an https:// address of at most ${MAX_URL} characters, without user name and fragment`,
  );

function isWebhookUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_URL || !URL.canParse(value)) return false;
  const { protocol, username, password, hash } = new URL(value);
  return /^https?:$/.test(protocol) && username + password + hash === '' && !/[\s#]/.test(value);
}

/** Checks the kinds of events that a webhook is told of. */
export const IsEventKinds = (options: Coded): PropertyDecorator =>
  Rule(
    'isEventKinds',
    options,
    (value) => isListOf(value, EVENT_KINDS.length, (item) => isOneOf(EVENT_KINDS, item)),
    `must be an array of some of ${EVENT_KINDS.join(', ')}`,
  );
