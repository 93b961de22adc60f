import encodeQR from 'qr';

const MARGIN = 4;

/**
 * Returns a link as a QR code: the address of a scalable image (SVG), with the margin that scanners
 * need (ISO/IEC 18004 §9.1).
 */
export function qrCode(link: string): string {
  const svg = encodeQR(link, 'svg', { ecc: 'medium', border: MARGIN });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
