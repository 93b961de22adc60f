import { counter, gauge } from '../platform/telemetry/metrics.js';

const deliveries = counter({
  name: 'servicefido_webhook_messages_total',
  help: 'Messages to webhooks, by whether they arrived',
  labelNames: ['arrived'],
});
const states = gauge({
  name: 'servicefido_webhooks',
  help: 'Webhooks by state, as the sending instance sees them: well, failing, given-up',
  labelNames: ['state'],
});

export const countDelivery = (arrived: boolean): void =>
  deliveries.inc({ arrived: arrived ? 'yes' : 'no' });

/** Sets the states of webhooks for a scrape. Instances that do not send report zeros. */
export function measureWebhooks(
  on: readonly { readonly failures: number }[],
  givenUp: number,
): void {
  const failing = on.filter(({ failures }) => failures > 0).length;
  states.set({ state: 'well' }, on.length - failing);
  states.set({ state: 'failing' }, failing);
  states.set({ state: 'given-up' }, givenUp);
}
