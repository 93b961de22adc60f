import { drawLines } from '/static/js/chart.js';
import { locale, text } from '/static/js/texts.js';

const LINES = [
  { label: text('registrations'), colour: '--sf-warn' },
  { label: text('signIns'), colour: '--sf-brand', dash: [10, 5] },
  { label: text('activeUsers'), colour: '--sf-good', dash: [2, 4] },
];

const month = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' });
const whole = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const yearOf = (seconds) => new Date(seconds * 1000).getUTCFullYear();

/** The months below the chart, in the language of the page. The first month of each year also has the year. */
const monthsBelow = (_, splits) =>
  splits.map((seconds, n) => {
    const name = month.format(seconds * 1000);
    const year = yearOf(seconds);
    return n === 0 || year !== yearOf(splits[n - 1]) ? `${name}\n${year}` : name;
  });

/** Draws the data of the table below. */
function drawTrend(chart, table) {
  const rows = [...table.querySelectorAll('tr[data-month]')];
  drawLines(chart, {
    times: rows.map((row) => Date.parse(`${row.dataset.month}-01`) / 1000),
    columns: LINES.map((_, n) =>
      rows.map((row) => Number(row.querySelectorAll('td')[n].dataset.value)),
    ),
    time: {
      label: text('month'),
      value: (_, seconds) => (seconds === null ? '--' : whole.format(seconds * 1000)),
    },
    lines: LINES,
    timeAxis: { values: monthsBelow },
    countAxis: { size: 70 },
    most: 1,
    widthOf: () => chart.clientWidth,
    height: 260,
  });
}

const print = document.getElementById('print');
print.hidden = false;
print.addEventListener('click', () => window.print());

const table = document.getElementById('trend');
if (table) drawTrend(document.getElementById('trend-chart'), table);
