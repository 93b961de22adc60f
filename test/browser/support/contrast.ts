import type { Page } from 'playwright-core';

/** Runs in the page: the contrast of a part's colour with the background behind it. */
const RATIO = `(selector, property) => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  const paint = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [red, green, blue] = paint(colour).map((byte) => {
      const part = byte / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (node) => getComputedStyle(node).backgroundColor;
  const element = document.querySelector(selector);
  let behind = element.parentElement;
  while (behind.parentElement && paint(backgroundOf(behind))[3] === 0) behind = behind.parentElement;
  const colour = getComputedStyle(element).getPropertyValue(property);
  const [lighter, darker] = [colour, backgroundOf(behind)].map(luminance).sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}`;

/** The contrast ratio (WCAG 2.2, 1 to 21) of the first such element's border or outline. */
export const contrastOf = (
  page: Page,
  selector: string,
  property: 'border-top-color' | 'outline-color',
): Promise<number> =>
  page.evaluate<number>(`(${RATIO})(${JSON.stringify(selector)}, ${JSON.stringify(property)})`);
