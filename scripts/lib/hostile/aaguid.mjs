/** The model that hostile registrations claim. */
export const AAGUID = Buffer.from('5e1f1d0a7e57400080000000000000fd', 'hex');
