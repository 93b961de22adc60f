import uPlot from '/assets/uplot/uPlot.esm.js';
import { locale, text } from '/static/js/texts.js';

const HEIGHT = 260;
/** Steps of an axis that counts: 1, 2, 5, 10, 20 and so on. */
const STEPS = Array.from({ length: 12 }, (_, n) => [1, 2, 5].map((step) => step * 10 ** n)).flat();
const SERIES = [
  { label: text('registrations'), colour: '--sf-warn' },
  { label: text('signIns'), colour: '--sf-brand', dash: [10, 5] },
  { label: text('activeUsers'), colour: '--sf-good', dash: [2, 4] },
];
/** The lines differ without their colours, and their marks in the legend as they do; the first is the month. */
const MARKERS = ['solid', 'solid', 'dashed', 'dotted'];

const month = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' });
const yearOf = (seconds) => new Date(seconds * 1000).getUTCFullYear();

/** The months below the chart, in the language of the page; the year stands where it begins. */
const monthsBelow = (_, splits) =>
  splits.map((seconds, n) => {
    const name = month.format(seconds * 1000);
    const year = yearOf(seconds);
    return n === 0 || year !== yearOf(splits[n - 1]) ? `${name}\n${year}` : name;
  });

/** Draws what the table below says. */
function drawTrend(chart, table) {
  const rows = [...table.querySelectorAll('tr[data-month]')];
  const months = rows.map((row) => Date.parse(`${row.dataset.month}-01`) / 1000);
  const columns = SERIES.map((_, n) =>
    rows.map((row) => Number(row.querySelectorAll('td')[n].dataset.value)),
  );
  const style = getComputedStyle(document.documentElement);
  // A custom property is not resolved by itself: a property that takes colours resolves it.
  const colour = (name) => {
    chart.style.color = `var(${name})`;
    const resolved = getComputedStyle(chart).color;
    chart.style.color = '';
    return resolved || style.color;
  };
  const axis = { stroke: colour('--sf-muted'), grid: { stroke: colour('--sf-line') } };
  const plot = new uPlot(
    {
      width: chart.clientWidth,
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
      series: [
        { label: text('month'), value: '{YYYY}-{MM}' },
        ...SERIES.map(({ label, colour: name, dash }) => ({
          label,
          dash,
          stroke: colour(name),
          width: 2,
        })),
      ],
      legend: { markers: { dash: (_, n) => MARKERS[n] } },
      axes: [
        { ...axis, values: monthsBelow },
        { ...axis, size: 70, incrs: STEPS },
      ],
    },
    [months, ...columns],
    chart,
  );
  addEventListener('resize', () => plot.setSize({ width: chart.clientWidth, height: HEIGHT }));
}

const print = document.getElementById('print');
print.hidden = false;
print.addEventListener('click', () => window.print());

const table = document.getElementById('trend');
if (table) drawTrend(document.getElementById('trend-chart'), table);
