import type { CommandLine } from '../../platform/config/load-options.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { CreateWebhookDto } from '../../webhooks/webhook.dto.js';
import { webhookView } from '../../webhooks/webhook.answer.js';
import { WebhookRows } from '../../webhooks/webhook-rows.js';
import { Webhooks } from '../../webhooks/webhooks.js';
import {
  checkedFields,
  commaList,
  printLines,
  showSecret,
  withAdministration,
} from '../application.js';
import { CLI_ACCOUNT, runAudited } from './audit.js';

const WRITTEN = {
  tenant: '<tenant>',
  url: '<url>',
  events: '--events',
  relyingParties: '--relying-parties',
  format: '--format',
};

/** Adds a webhook and prints its secret, which is never shown again. */
export const addWebhook = ({ options, words: [tenant = '', url = ''], own }: CommandLine) =>
  withAdministration(options, async (app) => {
    const [events, relyingParties] = [own.get('events'), own.get('relying-parties')].map(commaList);
    const fields = { tenant, url, events, relyingParties, format: own.get('format') };
    const dto = checkedFields(CreateWebhookDto, fields, WRITTEN);
    const created = await runAudited(app, { action: 'webhook.create', tenant }, (call) =>
      app.get(Webhooks).create(call, dto),
    );
    showSecret(created.secret);
  });

export const listWebhooks = ({ options }: CommandLine) =>
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
  });

/** @throws ApiError E0044R if there is no such webhook */
export const switchWebhook = ({ options, words: [id = ''] }: CommandLine, enabled: boolean) =>
  withAdministration(options, async (app) => {
    await runAudited(app, { action: 'webhook.change', target: id }, (call) =>
      app.get(Webhooks).change(call, id, { enabled }),
    );
    console.log(`The webhook is ${enabled ? 'on' : 'off'}.`);
  });

/** @throws ApiError E0044R if there is no such webhook */
export const rotateWebhook = ({ options, words: [id = ''] }: CommandLine) =>
  withAdministration(options, async (app) => {
    const { secret } = await runAudited(app, { action: 'webhook.rotate', target: id }, (call) =>
      app.get(Webhooks).rotate(call, id),
    );
    showSecret(secret);
  });

/** @throws ApiError E0044R if there is no such webhook */
export const removeWebhook = ({ options, words: [id = ''] }: CommandLine) =>
  withAdministration(options, async (app) => {
    await runAudited(app, { action: 'webhook.remove', target: id }, (call) =>
      app.get(Webhooks).remove(call, id),
    );
    console.log('The webhook was removed.');
  });
