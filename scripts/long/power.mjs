/** `npm run long -- power [TIMES]`: cuts the power TIMES times (10) under load, on SQLite. */
import { runHarness, sum } from '../lib/harness.mjs';
import { Refusal } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { findProgram } from '../lib/services/programs.mjs';

await run(async () => {
  if (process.platform !== 'linux') throw new Refusal('power cuts are simulated on Linux only');
  if (!findProgram('cc', 'gcc', 'clang')) {
    throw new Refusal('power cuts need a C compiler (cc, gcc or clang), and none is installed');
  }
  await runHarness({
    spec: 'test/resilience/power-loss.e2e-spec.ts',
    usual: 10,
    title: 'power loss',
    total: (reported) => ({
      cuts: sum(reported, 'cuts'),
      acknowledged: sum(reported, 'acknowledged'),
      lost: sum(reported, 'lost'),
      'a disk that syncs nothing would have lost': sum(reported, 'forgotten'),
    }),
  });
});
