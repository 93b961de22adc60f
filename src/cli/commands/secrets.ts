import { OptionMistakes } from '../../platform/config/option-types.js';
import { SecretStore } from '../../platform/database/secrets/secret-store.js';
import { Sealing, sealedWith } from '../../platform/database/secrets/sealing.js';
import { SigningKeys } from '../../fido/tokens/signing-keys.js';
import { WebhookSecrets } from '../../webhooks/webhook-secrets.js';
import { withApplication } from '../application.js';
import type { Runs } from '../commands.js';
import { runAudited } from '../run-audited.js';

export const secretCommands: Runs<'keys' | 'secrets'> = {
  /**
   * Checks that all secrets of the database are sealed with the first key of the file, and records it in the trail. The
   * services that own secrets seal them again when the application starts.
   *
   * @throws OptionMistakes without a file, and if the file lacks a key that sealed one of them
   */
  'secrets reseal': async ({ options }) => {
    if (options.secretKeyFile === undefined) {
      throw new OptionMistakes(['--secret-key-file: this command needs the file of keys']);
    }
    // By the time a `--domain` could be refused, the services would have sealed the secrets.
    await withApplication({ ...options, domain: undefined }, async (app) => {
      const key = app.get(Sealing).keyId;
      const count = await runAudited(app, { action: 'secrets.reseal' }, async ({ about }) => {
        const owners = [app.get(SecretStore), app.get(SigningKeys), app.get(WebhookSecrets)];
        const texts = await Promise.all(owners.map((owner) => owner.sealedTexts()));
        const keys = texts.flat().map(sealedWith);
        const others = keys.filter((other) => other !== key).length;
        if (others > 0) throw new Error(otherKeyText(others));
        about({ detail: { secrets: keys.length, ...(key !== undefined && { key }) } });
        return keys.length;
      });
      console.log(`All ${count} secrets are sealed with the key ${key}, the first of the file.`);
      console.log(
        'When every instance runs with this file, the other keys can be removed from it.',
      );
    });
  },

  'keys rotate': ({ options }) =>
    withApplication(options, async (app) => {
      await runAudited(app, { action: 'signing-key.rotate' }, (call) =>
        app.get(SigningKeys).rotate(call),
      );
      console.log(
        'A new signing key was added. It begins to sign in a minute; older tokens stay valid until they expire.',
      );
    }),

  /** @throws ApiError E0044R if there is no such key */
  'keys revoke': ({ options, kid }) =>
    withApplication(options, async (app) => {
      await runAudited(app, { action: 'signing-key.revoke', target: kid }, (call) =>
        app.get(SigningKeys).revoke(call, kid),
      );
      console.log(`The signing key ${kid} was revoked: this server no longer accepts its tokens.`);
      console.log('Running servers stop signing with it and publishing it within 10 seconds.');
    }),
};

const otherKeyText = (others: number): string =>
  `${others} secrets were stored in the meantime by an instance whose file has another first key. Restart it with this file, and try again.`;
