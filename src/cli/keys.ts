import type { CommandLine } from '../config/load-options.js';
import { SigningKeys } from '../fido/tokens/signing-keys.js';
import { withApplication } from './application.js';
import { audited } from './audit.js';

export const rotateKeys = ({ options }: CommandLine): Promise<void> =>
  withApplication(options, async (app) => {
    await audited(app, { action: 'signing-key.rotate' }, () => app.get(SigningKeys).create());
    console.log('A new signing key was added. It signs in a minute; old tokens stay valid.');
  });
