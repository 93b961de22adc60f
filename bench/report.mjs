const COLUMNS = [
  ['', (one) => one.title],
  ['per s', ({ figures }) => figures.perSecond.toFixed(0)],
  ['CPU µs', ({ figures }) => figures.cpuMicros.toFixed(0)],
  ['× floor', (one) => ratio(one, 'floor')],
  ['× usual', (one) => ratio(one, 'usual')],
  ['p50 ms', ({ figures }) => figures.p50.toFixed(1)],
  ['p95 ms', ({ figures }) => figures.p95.toFixed(1)],
  ['p99 ms', ({ figures }) => figures.p99.toFixed(1)],
  ['peak MiB', (one) => one.peakMemoryMiB.toFixed(0)],
];

/** The results as two tables: logins, then registrations. CPU is that of the server's process. */
export function report(results) {
  return ['login', 'registration']
    .map((kind) => {
      const rows = results.map((one) => ({ ...one, figures: one[kind] }));
      return `\nWhole ${kind}s (two requests each)\n${table(rows)}`;
    })
    .join('\n');
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

/** CPU against that of another contestant, where it took part. */
function ratio({ figures, rows }, name) {
  const other = rows.find((row) => row.name === name);
  return other ? (figures.cpuMicros / other.figures.cpuMicros).toFixed(2) : '–';
}
