import {
  Counter,
  Gauge,
  Histogram,
  register,
  type CounterConfiguration,
  type GaugeConfiguration,
  type HistogramConfiguration,
} from 'prom-client';

/**
 * The metric of this name. Metrics belong to the process: tests that run several applications in one find them
 * registered.
 */
const registered = <Metric>(name: string, create: () => Metric): Metric =>
  (register.getSingleMetric(name) as Metric | undefined) ?? create();

export const counter = <Label extends string>(settings: CounterConfiguration<Label>) =>
  registered(settings.name, () => new Counter<Label>(settings));

export const gauge = <Label extends string>(settings: GaugeConfiguration<Label>) =>
  registered(settings.name, () => new Gauge<Label>(settings));

/** A gauge without labels that has no value until it is set. Others start at 0, which alerts take for a measurement. */
export const measuredGauge = (settings: GaugeConfiguration<never>) =>
  registered(settings.name, () => {
    const created = new Gauge(settings);
    created.remove();
    return created;
  });

export const histogram = <Label extends string>(settings: HistogramConfiguration<Label>) =>
  registered(settings.name, () => new Histogram<Label>(settings));
