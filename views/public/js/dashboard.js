import uPlot from '/assets/uplot/uPlot.esm.js';
import { locale, text } from '/static/js/texts.js';

const HEIGHT = 240;
const SERIES = [
  { label: text('signIns'), colour: '--sf-brand' },
  { label: text('registrations'), colour: '--sf-warn', dash: [10, 5] },
];

const short = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });

const chart = document.getElementById('days-chart');
const rows = [...document.querySelectorAll('#days-table tr[data-day]')];
const days = rows.map((row) => Date.parse(row.dataset.day) / 1000);
const columns = SERIES.map((_, n) => rows.map((row) => Number(row.cells[n + 1].dataset.value)));

/** A custom property is not resolved by itself: a property that takes colours resolves it. */
function colour(name) {
  chart.style.color = `var(${name})`;
  const resolved = getComputedStyle(chart).color;
  chart.style.color = '';
  return resolved;
}

/** Draws what the table below says, in the colours of the theme. */
function draw() {
  const axis = {
    stroke: colour('--sf-muted'),
    grid: { stroke: colour('--sf-line'), width: 1 },
    ticks: { show: false },
  };
  chart.replaceChildren();
  return new uPlot(
    {
      width: chart.parentElement.clientWidth - 48,
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: { y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] } },
      series: [
        { label: text('day'), value: '{YYYY}-{MM}-{DD}' },
        ...SERIES.map(({ label, colour: name, dash }) => ({
          label,
          dash,
          stroke: colour(name),
          width: 2,
          points: { show: false },
        })),
      ],
      legend: { markers: { dash: (_, n) => ['solid', 'solid', 'dashed'][n] } },
      axes: [
        {
          ...axis,
          space: 70,
          values: (_, splits) => splits.map((day) => short.format(day * 1000)),
        },
        {
          ...axis,
          size: 60,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6],
        },
      ],
    },
    [days, ...columns],
    chart,
  );
}

if (columns.flat().some((value) => value > 0)) {
  let plot = draw();
  addEventListener('resize', () =>
    plot.setSize({ width: chart.parentElement.clientWidth - 48, height: HEIGHT }),
  );
  const redraw = () => (plot = draw());
  new MutationObserver(redraw).observe(document.documentElement, {
    attributeFilter: ['data-theme'],
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
}
