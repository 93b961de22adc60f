import encodeQR from 'qr';

const MARGIN = 4;

/**
 * A link as a QR code: an SVG that scales, black on white with the margin that scanners need (ISO/IEC
 * 18004 §9.1), whatever the colours of the page.
 */
export const qrCode = (link: string): string =>
  encodeQR(link, 'svg', { ecc: 'medium', border: MARGIN });
