import type { INestApplicationContext } from '@nestjs/common';
import { OptionMistakes } from '../../platform/config/load-options.js';
import type { CommandLine } from '../../platform/config/load-options.js';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';
import { Sealing, sealedWith } from '../../platform/database/secrets/sealing.js';
import { SigningKeys } from '../../fido/tokens/signing-keys.js';
import { WebhookSecrets } from '../../webhooks/webhook-secrets.js';
import { withApplication } from '../application.js';
import { audited } from './audit.js';

/**
 * Seals all secrets of the database with the first key of the file.
 *
 * @throws OptionMistakes without a file, and where the file lacks a key that sealed one of them
 */
export function resealSecrets({ options }: CommandLine): Promise<void> {
  if (options.secretKeyFile === undefined) {
    throw new OptionMistakes(['--secret-key-file: is needed, the file of keys']);
  }
  return withApplication(options, async (app) => {
    const key = app.get(Sealing).keyId;
    await audited(app, { action: 'secrets.reseal' }, async (note) => {
      // The services that own secrets have sealed them anew at their start, a moment ago.
      const keys = (await textsOf(app)).map(sealedWith);
      const others = keys.filter((other) => other !== key).length;
      if (others > 0) throw new Error(behind(others));
      note.detail = { secrets: keys.length, ...(key !== undefined && { key }) };
      console.log(
        `All ${keys.length} secrets are sealed with the key ${key}, the first of the file.`,
      );
    });
    console.log('The others may go when every instance was started with this file.');
  });
}

const textsOf = async (app: INestApplicationContext): Promise<readonly string[]> => {
  const owners = [app.get(SecretStore), app.get(SigningKeys), app.get(WebhookSecrets)];
  return (await Promise.all(owners.map((owner) => owner.sealedTexts()))).flat();
};

const behind = (others: number): string =>
  `${others} secrets came in meanwhile from an instance whose file has another first key: start it with this file, and try again.`;
