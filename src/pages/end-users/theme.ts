type Rgb = readonly [red: number, green: number, blue: number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/** The background of the pages' cards, `--sf-surface`. */
const LIGHT_SURFACE: Rgb = WHITE;
const DARK_SURFACE: Rgb = [0x17, 0x1d, 0x24];
/** WCAG 2.2 §1.4.3 requires 4.5 for links, which have this colour; a little more for the page behind the cards. */
const CONTRAST = 5;
const STEPS = 20;

const rgbOf = (colour: string): Rgb => {
  const part = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
};

const text = (rgb: Rgb): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (n: 0 | 1 | 2) => from[n] + (to[n] - from[n]) * share;
  return [part(0), part(1), part(2)];
}

/** WCAG 2.2 "relative luminance". */
function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((byte) => {
    const part = byte / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Rgb, other: Rgb): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Darkens or lightens the colour until it is legible on the surface. */
function legible(colour: Rgb, surface: Rgb, towards: Rgb): Rgb {
  for (let step = 0; step <= STEPS; step += 1) {
    const found = mix(colour, towards, step / STEPS);
    if (contrast(found, surface) >= CONTRAST) return found;
  }
  return towards;
}

/** Black or white: the text colour that is legible on this colour. */
const on = (colour: Rgb): Rgb =>
  contrast(colour, WHITE) >= contrast(colour, BLACK) ? WHITE : BLACK;

/**
 * A style sheet that replaces our colour with the relying party's, in the light and the dark theme. Text on the
 * colour and text in the colour are legible, whatever the colour.
 *
 * @param colour `#rrggbb`
 */
export function themeStyles(colour: string | undefined): string {
  if (colour === undefined) return '';
  const own = rgbOf(colour);
  const light = legible(own, LIGHT_SURFACE, BLACK);
  const dark = legible(own, DARK_SURFACE, WHITE);
  const pair = (one: Rgb, other: Rgb) => `light-dark(${text(one)}, ${text(other)})`;
  return `:root {
  --sf-brand: ${pair(light, dark)};
  --sf-brand-strong: ${pair(mix(light, BLACK, 0.2), mix(dark, WHITE, 0.2))};
  --sf-on-brand: ${pair(on(light), on(dark))};
  --sf-brand-soft: ${pair(mix(light, WHITE, 0.9), mix(dark, DARK_SURFACE, 0.85))};
  --pico-primary-focus: ${pair(mix(light, WHITE, 0.6), mix(dark, DARK_SURFACE, 0.6))};
  --pico-primary-underline: ${pair(mix(light, WHITE, 0.5), mix(dark, DARK_SURFACE, 0.5))};
}
`;
}
