import type { CommandLine } from '../../platform/config/load-options.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { SigningKeys } from '../../fido/tokens/signing-keys.js';
import { withApplication } from '../application.js';
import { audited } from './audit.js';

export const rotateKeys = ({ options }: CommandLine): Promise<void> =>
  withApplication(options, async (app) => {
    await audited(app, { action: 'signing-key.rotate' }, () => app.get(SigningKeys).create());
    console.log(
      'A new signing key was added. It signs in a minute; old tokens stay valid for their life.',
    );
  });

/** @throws ApiError E0044R when there is no such key */
export const revokeKey = ({ options, words: [kid = ''] }: CommandLine): Promise<void> =>
  withApplication(options, async (app) => {
    await audited(app, { action: 'signing-key.revoke', target: kid }, async () => {
      if (await app.get(SigningKeys).revoke(kid)) return;
      throw new ApiError('E0044R', 'signingKey.unknown');
    });
    console.log(`The signing key ${kid} was revoked: its tokens register nobody any more.`);
    console.log('Running servers stop signing with it and publishing it within 10 seconds.');
  });
