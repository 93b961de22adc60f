/**
 * Loaded into a server: SIGUSR2 begins to sample what it allocates, garbage included, and the next one
 * writes the samples to the file that BENCH_ALLOCATIONS names.
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
  // Whoever waits for the file sees all of it.
  writeFileSync(`${file}.part`, JSON.stringify(profile.head));
  renameSync(`${file}.part`, file);
}
