/** The library exists minified as a script alone, half as large as its module. */
const { uPlot } = globalThis;

/** Steps of an axis of counts: 1, 2, 5, 10, 20 and so on. */
const STEPS = Array.from({ length: 12 }, (_, n) => [1, 2, 5].map((step) => step * 10 ** n)).flat();
/** Lines and their marks in the legend can be told apart without colours. The first is the time. */
const MARKERS = ['solid', 'solid', 'dashed', 'dotted'];

/**
 * Draws lines over time in the colours of the theme, and follows the width of the window.
 *
 * @param chart the element to draw in
 * @param times seconds since 1970, and columns with the values of each line
 * @param time the first series of uPlot
 * @param lines label, custom property of the colour, and dash of each line
 * @param timeAxis, countAxis more options of the axes
 * @param most the top of the axis, if all values are smaller
 */
export function drawLines(
  chart,
  { times, columns, time, lines, timeAxis, countAxis, most, widthOf, height },
) {
  // The browser computes a colour only for a colour property, not for a custom property.
  const colour = (name) => {
    chart.style.color = `var(${name})`;
    const resolved = getComputedStyle(chart).color;
    chart.style.color = '';
    return resolved || getComputedStyle(document.documentElement).color;
  };
  const axis = {
    stroke: colour('--sf-muted'),
    grid: { stroke: colour('--sf-line'), width: 1 },
    font: `12px ${getComputedStyle(chart).fontFamily}`,
  };
  // Without a pointer on the chart, the legend shows the newest values.
  const showNewest = (plot) => {
    if (typeof plot.legend.idx !== 'number') plot.setLegend({ idx: times.length - 1 }, false);
  };
  const size = () => ({ width: widthOf(), height });
  const plot = new uPlot(
    {
      ...size(),
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: { y: { range: (_, __, max) => [0, Math.max(most, max * 1.1)] } },
      series: [time, ...lines.map((line) => ({ ...line, stroke: colour(line.colour), width: 2 }))],
      hooks: { ready: [showNewest], setLegend: [showNewest] },
      legend: { markers: { dash: (_, n) => MARKERS[n] } },
      axes: [
        { ...axis, ...timeAxis },
        { ...axis, incrs: STEPS, ...countAxis },
      ],
    },
    [times, ...columns],
    chart,
  );
  const resize = () => plot.setSize(size());
  addEventListener('resize', resize);
  /** Removes the chart. */
  return () => {
    removeEventListener('resize', resize);
    plot.destroy();
  };
}
