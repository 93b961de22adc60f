import { problem } from '../platform/errors/reasons.js';
import { EVENT_KINDS } from '../events/event.view.js';
import { isOneOf } from '../platform/validation/decorators.js';
import { Rule } from '../platform/validation/rule.js';
import type { Coded } from '../platform/validation/rule.js';
import { isListOf } from '../platform/validation/lists.js';

const MAX_URL = 2048;

/** Checks the address of a webhook. */
export const IsWebhookUrl = (options: Coded): PropertyDecorator =>
  Rule('isWebhookUrl', options, isWebhookUrl, (field) =>
    problem('field.webhookUrl', { field, most: MAX_URL }),
  );

function isWebhookUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_URL || !URL.canParse(value)) return false;
  const { protocol, username, password, hash } = new URL(value);
  return /^https?:$/.test(protocol) && username + password + hash === '' && !/[\s#]/.test(value);
}

/** Checks the kinds of events that a webhook gets. */
export const IsEventKinds = (options: Coded): PropertyDecorator =>
  Rule(
    'isEventKinds',
    options,
    (value) => isListOf(value, EVENT_KINDS.length, (item) => isOneOf(EVENT_KINDS, item)),
    (field) => problem('field.someOf', { field, words: EVENT_KINDS.join(', ') }),
  );
