import { SHARES } from './race.mjs';
import { ratioOf } from './statistics.mjs';

const COLUMNS = [
  ['', (one) => one.title],
  ['per s', ({ figures }) => figures.perSecond.toFixed(0)],
  ['CPU µs', ({ figures }) => figures.cpuMicros.toFixed(0)],
  ['× floor', (one) => ratio(one, 'floor')],
  ['× usual', (one) => ratio(one, 'usual')],
  ['p50 ms', ({ figures }) => figures.p50.toFixed(1)],
  ['p99 ms', ({ figures }) => figures.p99.toFixed(1)],
  ['p99.9 ms', ({ figures }) => figures.p999.toFixed(1)],
  ['peak MiB', (one) => one.peakMemoryMiB.toFixed(0)],
];

/**
 * The results as tables: logins, one for each share of a server's capacity, and registrations. CPU is that
 * of the server's process.
 */
export function report(results) {
  const tables = [
    ['Whole logins (two requests each), one after the other', (one) => one.login],
    ...SHARES.map((share, n) => [
      `Whole logins at random moments, ${share * 100} % of what each server bears`,
      (one) => one.arrivals[n],
    ]),
    ['Whole registrations (two requests each)', (one) => one.registration],
  ].map(([title, figuresOf]) => {
    const rows = results.map((one) => ({ ...one, figures: figuresOf(one) }));
    return `\n${title}\n${table(rows)}`;
  });
  return [...tables, ...comparisons(results)].join('\n');
}

/** This tree compared with the earlier version, if that took part. */
function comparisons(results) {
  const [now, before] = ['sqlite', 'before'].map((name) =>
    results.find((one) => one.name === name),
  );
  if (now === undefined || before === undefined) return [];
  return ['logins', 'registrations'].map((kind) => {
    const cpu = ({ rounds }) => rounds[kind].map(({ cpuMicros }) => cpuMicros);
    const { ratio, least, most } = ratioOf(cpu(now), cpu(before));
    const between = least ? `between ${least.toFixed(2)} and ${most.toFixed(2)} with 95 %` : 'once';
    return `\n${kind}, CPU beside the version before: ${ratio.toFixed(2)} × (${between})`;
  });
}

function table(rows) {
  const cells = [
    COLUMNS.map(([title]) => title),
    ...rows.map((row) => COLUMNS.map(([, show]) => show({ ...row, rows }))),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  return cells
    .map((row) => row.map((cell, column) => pad(cell, widths[column], column)).join('  '))
    .join('\n');
}

const pad = (cell, width, column) => (column === 0 ? cell.padEnd(width) : cell.padStart(width));

/** The CPU ratio to another contestant, if that took part. */
function ratio({ figures, rows }, name) {
  const other = rows.find((row) => row.name === name);
  return other ? (figures.cpuMicros / other.figures.cpuMicros).toFixed(2) : '–';
}
