import cluster from 'node:cluster';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Stops at the first signal. A second one ends the process at once, and its workers with it. A worker ignores further
 * signals: a service manager or a terminal may send one to each process, and the first process sends its own.
 */
export function stopAtSignal(stop: (signal: NodeJS.Signals) => void): void {
  let stops = false;
  const listener = (signal: NodeJS.Signals) => {
    if (cluster.isPrimary) for (const one of STOP_SIGNALS) process.off(one, listener);
    if (!stops) stop(signal);
    stops = true;
  };
  for (const one of STOP_SIGNALS) process.on(one, listener);
}
