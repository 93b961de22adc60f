/** An AAGUID of 16 bytes as a hyphenated UUID in lower case. */
export function aaguidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The 16 bytes of what `aaguidText` wrote. */
export function aaguidBytes(text: string): Buffer {
  return Buffer.from(text.replaceAll('-', ''), 'hex');
}
