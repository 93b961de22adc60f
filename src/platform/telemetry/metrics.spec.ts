import { register } from 'prom-client';
import { measuredGauge } from './metrics.js';

it('a measured gauge has no value until it is set', async () => {
  const name = 'test_measured_gauge';
  const metric = measuredGauge({ name, help: 'For this test' });
  const values = async () => (await register.getSingleMetric(name)?.get())?.values;
  expect(await values()).toEqual([]);
  metric.set(0);
  expect(await values()).toMatchObject([{ value: 0 }]);
  register.removeSingleMetric(name);
});
