import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { CreateWebhookDto } from '../../webhooks/webhook.dto.js';
import { webhookView } from '../../webhooks/webhook.answer.js';
import { WebhookRows } from '../../webhooks/webhook-rows.js';
import { Webhooks } from '../../webhooks/webhooks.js';
import { checkedFields, printLines, showSecret, withAdministration } from '../application.js';
import type { Runs } from '../commands.js';
import { CLI_ACCOUNT, runAudited } from '../run-audited.js';

const WRITTEN = {
  tenant: '<tenant>',
  url: '<url>',
  events: '--events',
  relyingParties: '--relying-parties',
  format: '--format',
};

/** @throws ApiError E0044R if there is no such webhook */
const switchTo =
  (enabled: boolean): Runs<'webhook'>['webhook on'] =>
  ({ options, id }) =>
    withAdministration(options, async (app) => {
      await runAudited(app, { action: 'webhook.change', target: id }, (call) =>
        app.get(Webhooks).change(call, id, { enabled }),
      );
      console.log(`The webhook is ${enabled ? 'on' : 'off'}.`);
    });

export const webhookCommands: Runs<'webhook'> = {
  /** Adds a webhook and prints its secret, which is never shown again. */
  'webhook add': ({ options, ...fields }) =>
    withAdministration(options, async (app) => {
      const dto = checkedFields(CreateWebhookDto, fields, WRITTEN);
      const note = { action: 'webhook.create', tenant: fields.tenant } as const;
      const created = await runAudited(app, note, (call) => app.get(Webhooks).create(call, dto));
      showSecret(created.secret);
    }),

  'webhook list': ({ options }) =>
    withAdministration(options, async (app) => {
      const open = app.get(RelyingPartyCache).current;
      const webhooks = await app.get(WebhookRows).list(CLI_ACCOUNT);
      const lines = webhooks.map((webhook) => {
        const view = webhookView(webhook, open);
        const { id, tenant, url, events, relyingParties, format, state, failure } = view;
        const where = relyingParties?.join(' ') ?? '*';
        const how = failure !== null && state !== 'well' ? `${state}: ${failure}` : state;
        return [id, tenant, url, events.join(' '), where, how, format].join('\t');
      });
      printLines(lines, 'webhooks');
    }),

  'webhook on': switchTo(true),
  'webhook off': switchTo(false),

  /** @throws ApiError E0044R if there is no such webhook */
  'webhook rotate': ({ options, id }) =>
    withAdministration(options, async (app) => {
      const { secret } = await runAudited(app, { action: 'webhook.rotate', target: id }, (call) =>
        app.get(Webhooks).rotate(call, id),
      );
      showSecret(secret);
    }),

  /** @throws ApiError E0044R if there is no such webhook */
  'webhook remove': ({ options, id }) =>
    withAdministration(options, async (app) => {
      await runAudited(app, { action: 'webhook.remove', target: id }, (call) =>
        app.get(Webhooks).remove(call, id),
      );
      console.log('The webhook was removed.');
    }),
};
