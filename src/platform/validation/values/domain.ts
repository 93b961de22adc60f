const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);
/** URL parsers read a name whose last label is a number as an IP address. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/** Whether the text is a host name that can be an RP ID: lower-case A-labels, no IP address. */
export function isDomain(text: string): boolean {
  return NAME.test(text) && !ENDS_IN_NUMBER.test(text);
}
