import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { AggregatorRegistry } from 'prom-client';

const QUESTION = 'servicefido:metrics?';
const ANSWER = 'servicefido:metrics';

interface Message {
  readonly type: string;
  readonly id: string;
  /** Absent if the metrics could not be collected. */
  readonly text?: string;
}

const isMessage = (message: unknown, type: string): message is Message =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === type;

/** In the first process: adds up the counts of the workers when one of them is scraped. */
export function addUpWorkers(): void {
  const registry = new AggregatorRegistry();
  cluster.on('message', (worker, message: unknown) => {
    if (!isMessage(message, QUESTION)) return;
    // A worker may have died since. Without the callback, that would be an error that ends this process.
    const answer = (text?: string) =>
      worker.send({ type: ANSWER, id: message.id, text }, () => undefined);
    registry.clusterMetrics().then(answer, () => answer());
  });
}

/** In a worker: the metrics of all workers together; `undefined` if they could not be collected. */
export async function metricsOfAllWorkers(): Promise<string | undefined> {
  const id = randomUUID();
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      if (!isMessage(message, ANSWER) || message.id !== id) return;
      process.off('message', listen);
      resolve(message.text);
    };
    process.on('message', listen);
    process.send?.({ type: QUESTION, id });
  });
}

/** In a worker: sends its own metrics when the first process requests them; calls `measure` before. */
export function sendMetrics(measure: () => void): void {
  // This listener must receive the request before the library's does.
  process.on('message', measure);
  new AggregatorRegistry();
}
