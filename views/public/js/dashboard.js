import { drawLines } from '/static/js/chart.js';
import { locale, text } from '/static/js/texts.js';

const LINES = [
  { label: text('signIns'), colour: '--sf-brand', points: { show: false } },
  { label: text('registrations'), colour: '--sf-warn', dash: [10, 5], points: { show: false } },
];

const short = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const long = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });

const chart = document.getElementById('days-chart');
const rows = [...document.querySelectorAll('#days-table tr[data-day]')];
const columns = LINES.map((_, n) => rows.map((row) => Number(row.cells[n + 1].dataset.value)));

/** Draws the data of the table below, in the colours of the theme. */
const draw = () =>
  drawLines(chart, {
    times: rows.map((row) => Date.parse(row.dataset.day) / 1000),
    columns,
    time: {
      label: text('day'),
      value: (_, day) => (day === null ? '--' : long.format(day * 1000)),
    },
    lines: LINES,
    timeAxis: {
      ticks: { show: false },
      space: 70,
      values: (_, splits) => splits.map((day) => short.format(day * 1000)),
    },
    countAxis: { ticks: { show: false }, size: 60 },
    most: 4,
    widthOf: () => chart.parentElement.clientWidth - 48,
    height: 240,
  });

if (columns.flat().some((value) => value > 0)) {
  let remove = draw();
  const redraw = () => {
    remove();
    remove = draw();
  };
  new MutationObserver(redraw).observe(document.documentElement, {
    attributeFilter: ['data-theme'],
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
}
