import type { Request } from 'express';
import { fromRequest } from '../../common/from-request.js';
import { addressGroup } from '../../common/network/address-group.js';
import type { Reader } from '../../common/turns/read-turns.js';
import { accountOf } from '../accounts/account.js';

export function readerOf(request: Request): Reader {
  const account = accountOf(request);
  const caller = account ? (account.key?.id ?? account.name) : addressGroup(request.ip);
  return { caller, hasLeft: () => request.res?.closed === true };
}

export const CurrentReader = fromRequest(readerOf);
