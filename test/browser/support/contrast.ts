import type { Page } from 'playwright-core';

/**
 * How far two colours stand apart (WCAG 2.2, contrast ratio): 1 to 21, of an element's border or outline
 * and of the nearest background that is painted behind it.
 */
export const contrastOf = (
  page: Page,
  selector: string,
  property: 'border-top-color' | 'outline-color',
): Promise<number> => page.locator(selector).first().evaluate<number, string>(ratio, property);

/** Runs in the page. */
function ratio(element: Element, property: string): number {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  if (!canvas) throw new Error('This browser paints on no canvas.');
  const paint = (colour: string) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = paint(colour).map((byte) => {
      const part = byte / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  let behind = element.parentElement;
  while (behind?.parentElement && paint(getComputedStyle(behind).backgroundColor)[3] === 0) {
    behind = behind.parentElement;
  }
  const [lighter = 0, darker = 0] = [
    luminance(getComputedStyle(element).getPropertyValue(property)),
    luminance(getComputedStyle(behind ?? element).backgroundColor),
  ].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}
