import type { Change } from '../../credentials/user-changes.js';
import type { Criterion, Position } from '../../credentials/user-search.js';
import { Pattern } from '../../credentials/pattern.js';
import { ApiError } from '../../errors/api-error.js';
import type { Permission } from '../../security/permissions.js';
import { isObject } from '../../validation/field.js';
import { positionOf } from '../cursor.js';

/** What a type of `manageusers` does, what one must be permitted for it, and whether it names devices. */
interface Operation {
  readonly change?: Change;
  readonly needs: Permission;
  readonly device?: true;
  /** For the audit trail. */
  readonly action?: string;
}

/** The interface's seven types. */
const OPERATIONS = {
  list: { needs: 'users:read' },
  deluser: { change: 'delete-user', needs: 'users:delete', action: 'user.delete' },
  deldevice: { change: 'delete', needs: 'keys:change', device: true, action: 'credential.delete' },
  disableall: { change: 'disable', needs: 'keys:change', action: 'user.disable' },
  enableall: { change: 'enable', needs: 'keys:change', action: 'user.enable' },
  disabledevice: {
    change: 'disable',
    needs: 'keys:change',
    device: true,
    action: 'credential.disable',
  },
  enabledevice: {
    change: 'enable',
    needs: 'keys:change',
    device: true,
    action: 'credential.enable',
  },
} as const satisfies Record<string, Operation>;

export type OperationType = keyof typeof OPERATIONS;

/** A list's parameters, or a change's. */
export interface ListRequest {
  readonly type: 'list';
  readonly criterion: Criterion;
  /** Users of one page; absent where everybody who matches is to be listed. */
  readonly limit: number | undefined;
  readonly after: Position | undefined;
}
export interface ChangeRequest {
  readonly type: Exclude<OperationType, 'list'>;
  readonly change: Change;
  readonly criterion: Criterion;
}

const NAMES = ['type', 'filter', 'device', 'limit', 'cursor', 'confirm'] as const;
type Parameters = Readonly<Partial<Record<(typeof NAMES)[number], string>>>;

/** More than any user name has, and more than any credential ID in Base64URL. */
const MAX_BYTES = { filter: 1024, device: 2048 } as const;
const MAX_LIMIT = 1000;
/** Of the page behind a cursor. */
const DEFAULT_LIMIT = 100;

const wrong = (sentence: string): ApiError => new ApiError('E0045R', sentence);

const isType = (type: string): type is OperationType => Object.hasOwn(OPERATIONS, type);

/** The operation that a request asks for, as far as it can be told before it is checked. */
export function operationOf(source: unknown): Operation | undefined {
  const type = isObject(source) ? source['type'] || 'list' : undefined;
  return typeof type === 'string' && isType(type) ? OPERATIONS[type] : undefined;
}

/**
 * Reads the parameters of `manageusers` from a query or a body.
 *
 * @throws ApiError E0045R for the first that is wrong: an unknown type, a parameter that is repeated
 *   or no text, a changing type without `filter`, a device type without `device`, an unconfirmed
 *   change of everybody; a parameter that does not belong to its type, since who sends it expects
 *   less to be changed
 */
export function readRequest(
  source: Readonly<Record<string, unknown>>,
): ListRequest | ChangeRequest {
  const { type = 'list', ...parameters } = textsOf(source);
  if (!isType(type)) throw wrong(`"type" must be one of ${Object.keys(OPERATIONS).join(', ')}.`);
  return type === 'list' ? listRequest(parameters) : changeRequest(type, parameters);
}

/**
 * The known parameters, each once and a text; what is empty counts as absent. Others are ignored, but
 * none that looks like these.
 */
function textsOf(source: Readonly<Record<string, unknown>>): Parameters {
  for (const name of Object.keys(source)) {
    const [base = ''] = name.split(/[[.]/, 1);
    if (base !== name && NAMES.includes(base as 'type')) throw wrong(`"${base}" must be one text.`);
  }
  return Object.fromEntries(
    NAMES.filter((name) => source[name] !== undefined && source[name] !== '').map((name) => {
      const value = source[name];
      const text = name === 'limit' && typeof value === 'number' ? String(value) : value;
      if (typeof text !== 'string' || !text.isWellFormed())
        throw wrong(`"${name}" must be one text.`);
      return [name, text];
    }),
  );
}

function listRequest({ filter, device, limit, cursor }: Parameters): ListRequest {
  const after = cursor === undefined ? undefined : positionOf(cursor);
  return {
    type: 'list',
    criterion: criterionOf(filter ?? '*', device),
    limit: limit === undefined ? after && DEFAULT_LIMIT : limitOf(limit),
    after,
  };
}

function changeRequest(
  type: Exclude<OperationType, 'list'>,
  { filter = '', device = '', limit, cursor, confirm }: Parameters,
): ChangeRequest {
  const operation: Operation & { readonly change: Change } = OPERATIONS[type];
  if (filter.trim() === '') throw wrong(`"${type}" needs a "filter".`);
  if (operation.device && device.trim() === '') throw wrong(`"${type}" needs a "device".`);
  if (!operation.device && device !== '') throw wrong(`"${type}" takes no "device".`);
  if (limit !== undefined || cursor !== undefined) {
    throw wrong(`"${type}" takes neither "limit" nor "cursor": it changes all that match.`);
  }
  const criterion = criterionOf(filter, device);
  if (criterion.name.matchesEverything && confirm !== 'all') {
    throw wrong('This filter matches everybody: it needs "confirm" with the value "all".');
  }
  return { type, change: operation.change, criterion };
}

function criterionOf(filter: string, device = ''): Criterion {
  const name = patternOf('filter', filter);
  return device === '' ? { name } : { name, device: patternOf('device', device) };
}

function patternOf(name: keyof typeof MAX_BYTES, text: string): Pattern {
  if (Buffer.byteLength(text) > MAX_BYTES[name]) {
    throw wrong(`"${name}" must have at most ${MAX_BYTES[name]} bytes.`);
  }
  return new Pattern(text);
}

function limitOf(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT) {
    throw wrong(`"limit" must be a whole number from 1 to ${MAX_LIMIT}.`);
  }
  return limit;
}
