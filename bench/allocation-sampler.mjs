/**
 * Loaded into a server: SIGUSR2 starts sampling its allocations, garbage included, and the next one
 * writes the samples to the file in BENCH_ALLOCATIONS.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const SAMPLE_BYTES = 8192;

const session = new Session();
session.connect();
let sampling = false;
process.on('SIGUSR2', () => void (sampling ? stop() : start()));

async function start() {
  sampling = true;
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: SAMPLE_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
}

async function stop() {
  sampling = false;
  const { profile } = await session.post('HeapProfiler.stopSampling');
  const file = process.env.BENCH_ALLOCATIONS;
  // Written atomically, because another process waits for the file.
  writeFileSync(`${file}.part`, JSON.stringify(profile.head));
  renameSync(`${file}.part`, file);
}
