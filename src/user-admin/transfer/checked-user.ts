import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { Clock } from '../../common/clock.js';
import { serverOptions } from '../../config/server-config.js';
import type { TransferredKey, TransferredUser } from '../../credentials/transfer/transferred.js';
import { ApiError } from '../../errors/api-error.js';
import {
  DISPLAY_NAME_RULE,
  NAME_RULE,
  SUBJECT_RULE,
  displayNameOf,
  isDisplayName,
  isName,
  isSubject,
  normalizeName,
} from '../../validation/names.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import type { FormatName } from './formats/registry.js';
import type { SourceUser } from './formats/source.js';
import { checkedKey } from './checked-key.js';
import { timeOf } from './values.js';

/** Why a record, or one key of it, is not imported. */
export interface Refusal {
  readonly error: ApiError;
  readonly credentialId?: Buffer | undefined;
}

/** A valid user with the valid keys of its record, and why the other keys are refused. */
export interface CheckedUser {
  readonly user: TransferredUser;
  readonly refusals: readonly Refusal[];
}

/** The format of a file, and the domain whose users it is to become. */
export interface Target {
  readonly format: FormatName;
  readonly domain: string;
}

/** Handles of one user: each of at most a hundred keys may have its own. */
const MAX_HANDLES = 101;
const MAX_HANDLE_BYTES = 64;

/** Checks records of a file by the rules of a registration. */
@Injectable()
export class UserChecks {
  constructor(
    private readonly clock: Clock,
    private readonly models: AuthenticatorModels,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /** @throws ApiError where the user is refused, whatever the keys */
  async check(source: SourceUser, target: Target): Promise<CheckedUser> {
    const now = this.clock.now();
    const { username } = source;
    if (!isName(username)) throw broken('username', NAME_RULE);
    const displayName = source.displayName ?? username;
    if (!isDisplayName(displayName)) throw broken('displayName', DISPLAY_NAME_RULE);
    if (source.subject !== undefined && !isSubject(source.subject)) {
      throw broken('userId', SUBJECT_RULE);
    }
    const user = {
      username: normalizeName(username),
      displayName: displayNameOf(displayName),
      subject: source.subject,
      handles: handlesOf(source),
      createdAt: Math.min(timeOf('createdAt', source.createdAt) ?? now, now),
    };
    const { keys, refusals } = await this.keys(source, target, now);
    return { user: { ...user, keys }, refusals };
  }

  private async keys({ keys: sources }: SourceUser, target: Target, now: number) {
    const keys: TransferredKey[] = [];
    const refusals: Refusal[] = [];
    const { conformance: rs1 } = this.options;
    for (const source of sources) {
      try {
        keys.push(checkedKey(source, keys, { ...target, now, rs1, models: this.models }));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        refusals.push({ error, credentialId: source.credentialId });
      }
      // Checking a key takes 0.1 ms: others get their turn in between.
      await turnOfOthers();
    }
    return { keys, refusals };
  }
}

const broken = (name: string, rule: string): ApiError =>
  new ApiError('E0001R', `"${name}" ${rule}.`);

function handlesOf({ handles }: SourceUser): TransferredUser['handles'] {
  const found = handles.slice(0, MAX_HANDLES).flatMap((handle) => {
    if (handle && handle.length > 0 && handle.length <= MAX_HANDLE_BYTES) return [handle];
    throw new ApiError('E0045R', `The user handle must be 1 to ${MAX_HANDLE_BYTES} bytes.`);
  });
  const [own, ...further] = found;
  if (!own) throw new ApiError('E0045R', 'The user handle is missing.');
  return [own, ...further];
}
