import { Counter, register } from 'prom-client';

const NUMBERED = {
  name: 'servicefido_events_numbered_total',
  help: 'Events that got their number, for readers and webhooks to follow',
};
const numbered = (register.getSingleMetric(NUMBERED.name) as Counter) ?? new Counter(NUMBERED);

export const countNumbered = (events: number): void => numbered.inc(events);
