import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '../../http/openapi.js';

const TYPES = [
  'list',
  'deluser',
  'deldevice',
  'disableall',
  'enableall',
  'disabledevice',
  'enabledevice',
];

const DESCRIPTIONS = {
  filter: 'user name; `*` stands for any characters, nothing else is special',
  device: 'device name or credential ID, with `*` like `filter`',
  limit: 'users of one page, 1 to 1000; without it and `cursor`, all users that match',
  cursor: '`next` of the page before',
  confirm: '`all`, for a change whose filter matches everybody',
} as const;

const query = (...names: (keyof typeof DESCRIPTIONS)[]) =>
  names.map((name) =>
    ApiQuery({ name, required: false, type: String, description: DESCRIPTIONS[name] }),
  );

/** The parameters of a list. */
export const ApiListQuery = () => applyDecorators(...query('filter', 'device', 'limit', 'cursor'));

/** The parameters of `manageusers`. */
export const ApiManageUsersQuery = () =>
  applyDecorators(
    ApiQuery({ name: 'type', required: false, enum: TYPES }),
    ...query('filter', 'device', 'limit', 'cursor', 'confirm'),
  );

/** The same as a JSON body. */
export const manageUsersBody = {
  type: 'object',
  properties: {
    type: { type: 'string', enum: TYPES, default: 'list' },
    ...Object.fromEntries(
      Object.entries(DESCRIPTIONS).map(([name, description]) => [
        name,
        { type: 'string', description },
      ]),
    ),
  },
} as const;
